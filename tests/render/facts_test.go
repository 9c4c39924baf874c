package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"gitops-runtime/tests/render"
)

// Facts of components and Jobs that do not parse, that no template reads, or that have the wrong type fail the render with the component's name.
func TestFactsAreChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		template, facts, level string
		want                   string
	}{
		"valid":                 {facts: "name: server\nimages: [{repository: example.com/server, tag: \"1\"}]"},
		"valid Job":             {template: "common.job", facts: "name: server\nimages: [{repository: example.com/server, tag: \"1\"}]\njob: {backoffLimit: 1}"},
		"unknown":               {facts: "name: server\nreadinesProbe: {}", want: `chart parts-1.0.0, component "server": "readinesProbe" is not a fact of a component.`},
		"unknown of a Job":      {template: "common.job", facts: "fullname: upgrade\nttl: 3", want: `chart parts-1.0.0, component "upgrade": "ttl" is not a fact of a component.`},
		"unknown of an account": {template: "common.account", facts: "name: server\nrule: []", want: `chart parts-1.0.0, component "server": "rule" is not a fact of a component.`},
		"invalid YAML":          {facts: "name: server\nargs: [serve", want: `chart parts-1.0.0, component "server": its facts do not parse:`},
		"invalid YAML of a Job": {template: "common.job", facts: "name: server\nargs: [serve", want: `chart parts-1.0.0, component "server": its facts do not parse:`},
		"inserted map": {
			facts: "name: server\nargs:\n  - --level={{ .Values.level }}", level: "a: b",
			want: `chart parts-1.0.0, component "server": the fact args[0] is not a text: {"--level=a":"b"}.`,
		},
		"inserted break": {
			facts: "name: server\nenv:\n  - {name: LEVEL, value: {{ .Values.level }}}", level: "a: b}",
			want: `did not find expected ',' or '}', near "env:\n  - {name: LEVEL, value: a: b}}".`,
		},
		"inserted number": {
			facts: "name: server\nenv:\n  - {name: LEVEL, value: {{ .Values.level }}}", level: "5",
			want: `chart parts-1.0.0, component "server": the fact env[0].value is not a text: 5.`,
		},
		"inserted list": {
			facts: "name: server\nchecksum: {{ .Values.level }}", level: "[a]",
			want: `chart parts-1.0.0, component "server": the fact checksum is not a text: ["a"].`,
		},
		"inserted boolean": {
			facts: "name: {{ .Values.level }}", level: "true",
			want: `chart parts-1.0.0, component "true": the fact name is not a text: true.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.template == "" {
				test.template = "common.component"
			}
			_, err := renderFacts(t, test.template, test.facts, test.level)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// renderFacts renders a chart with one template of common and facts that may use .Values.level.
func renderFacts(t *testing.T, template, facts, level string) (map[string]string, error) {
	t.Helper()
	common := load(t, "common")
	parts := &chart.Chart{
		Metadata: &chart.Metadata{APIVersion: "v2", Name: "parts", Version: "1.0.0"},
		Templates: []*chart.File{
			{Name: "templates/server.yaml", Data: []byte(`{{ include "` + template + `" (dict
				"context" (include "common.context" (dict "chart" .Chart "release" .Release "values" .Values) | fromJson)
				"values" .Values
				"facts" (include "parts.facts" .)
			) }}`)},
			{Name: "templates/_facts.tpl", Data: []byte("{{ define \"parts.facts\" }}\n" + facts + "\n{{ end }}")},
		},
	}
	parts.AddDependency(common)
	values, err := chartutil.ToRenderValues(parts, map[string]any{"level": level}, chartutil.ReleaseOptions{Name: "cf"}, nil)
	require.NoError(t, err)
	return engine.Render(parts, values)
}

// Zero replaces a default like any other number.
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
