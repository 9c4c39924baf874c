package render_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// The facts of a component are checked: what does not parse and what no template reads fail the render, under the component's name.
func TestFactsAreChecked(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	for name, test := range map[string]struct{ facts, want string }{
		"well formed": {facts: "name: server\nimages: [{repository: example.com/server, tag: \"1\"}]"},
		"unknown":     {facts: "name: server\nreadinesProbe: {}", want: `chart parts-1.0.0, component "server": "readinesProbe" is not a fact of a component.`},
		"no YAML":     {facts: "name: server\nargs: [serve", want: `chart parts-1.0.0, component "cf-parts": its facts do not parse:`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common, err := loader.Load(filepath.Join(root, "charts", "common"))
			require.NoError(t, err)
			parts := &chart.Chart{
				Metadata: &chart.Metadata{APIVersion: "v2", Name: "parts", Version: "1.0.0"},
				Templates: []*chart.File{
					{Name: "templates/server.yaml", Data: []byte(`{{ include "common.component" (dict
						"context" (include "common.context" (dict "chart" .Chart "release" .Release "values" .Values) | fromJson)
						"values" .Values
						"facts" (include "parts.facts" . | fromYaml)
					) }}`)},
					{Name: "templates/_facts.tpl", Data: []byte("{{ define \"parts.facts\" }}\n" + test.facts + "\n{{ end }}")},
				},
			}
			parts.AddDependency(common)
			values, err := chartutil.ToRenderValues(parts, nil, chartutil.ReleaseOptions{Name: "cf"}, nil)
			require.NoError(t, err)
			_, err = engine.Render(parts, values)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// Zero is a value: it replaces a default as any other number does.
func TestZeroReplacesDefaults(t *testing.T) {
	t.Parallel()
	set := map[string]string{}
	for _, path := range []string{"server.revisionHistoryLimit", "server.terminationGracePeriodSeconds", "server.autoscaling.minReplicas", "global.revisionHistoryLimit"} {
		set[path] = "0"
	}
	set["server.autoscaling.enabled"] = "true"
	objects := render.Release{Chart: "argo-cd", SetJSON: set}.Objects(t)
	for _, want := range []struct {
		kind, name string
		path       []string
	}{
		{"Deployment", "cf-argocd-server", []string{"spec", "revisionHistoryLimit"}},
		{"Deployment", "cf-argocd-server", []string{"spec", "template", "spec", "terminationGracePeriodSeconds"}},
		{"HorizontalPodAutoscaler", "cf-argocd-server", []string{"spec", "minReplicas"}},
		{"Deployment", "cf-argocd-repo-server", []string{"spec", "revisionHistoryLimit"}},
	} {
		found := false
		for _, object := range objects {
			if object.GetKind() != want.kind || object.GetName() != want.name {
				continue
			}
			value, ok := object.Object, false
			var leaf any = value
			for _, key := range want.path {
				table, _ := leaf.(map[string]any)
				leaf, ok = table[key]
			}
			found = ok
			assert.EqualValues(t, 0, leaf, "%s/%s %v", want.kind, want.name, want.path)
		}
		assert.True(t, found, "%s/%s has no %v", want.kind, want.name, want.path)
	}
}
