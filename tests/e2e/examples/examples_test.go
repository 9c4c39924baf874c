// Package examples runs the examples of the folder examples: each is decoded strictly into the types of its program, and its values render the
// chart of this checkout.
package examples

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	helm "github.com/fluxcd/helm-controller/api/v2"
	source "github.com/fluxcd/source-controller/api/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/tests/manifests"
	"gitops-runtime/tests/render"
)

func root(t *testing.T) string {
	t.Helper()
	above, err := gomodule.Root()
	require.NoError(t, err)
	if filepath.Base(above) == "e2e" {
		above = filepath.Join(above, "..", "..")
	}
	return above
}

// file returns the content of a file of the examples.
func file(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "examples", name))
	require.NoError(t, err)
	return text
}

// decode decodes the documents of a file, each strictly into the Go type of its kind.
func decode(t *testing.T, name string, into map[string]any) {
	t.Helper()
	found := 0
	for _, document := range bytes.Split(file(t, name), []byte("\n---\n")) {
		var kind struct{ APIVersion, Kind string }
		require.NoError(t, yaml.Unmarshal(document, &kind))
		target, known := into[kind.APIVersion+"/"+kind.Kind]
		require.True(t, known, "%s has a %s %s", name, kind.APIVersion, kind.Kind)
		require.NoError(t, yaml.UnmarshalStrict(document, target), name)
		found++
	}
	require.Equal(t, len(into), found)
}

// requireRuntime requires that values render a runtime whose API key is only in the Secret that the examples reference.
func requireRuntime(t *testing.T, values []byte) []render.Object {
	t.Helper()
	written := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(written, values, 0o600))
	objects := render.Release{Chart: "gitops-runtime", Name: "cf-gitops-runtime", Values: []string{written}}.Objects(t)
	require.NotNil(t, render.Find(objects, "Deployment", "cap-app-proxy"))
	assert.Nil(t, render.Find(objects, "Secret", "codefresh-user-token"), "the values have a token in plain text")
	var text strings.Builder
	for _, object := range objects {
		if object.GetKind() == "Job" || object.GetKind() == "Deployment" {
			made, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			text.Write(made)
		}
	}
	assert.Contains(t, text.String(), "name: codefresh-api-key")
	return objects
}

func TestFlux(t *testing.T) {
	t.Parallel()
	var repository source.OCIRepository
	var release helm.HelmRelease
	decode(t, "flux/runtime.yaml", map[string]any{
		source.GroupVersion.String() + "/" + source.OCIRepositoryKind: &repository,
		helm.GroupVersion.String() + "/" + helm.HelmReleaseKind:       &release,
	})
	assert.Equal(t, repository.Name, release.Spec.ChartRef.Name)
	assert.Equal(t, source.OCIRepositoryKind, release.Spec.ChartRef.Kind)
	assert.Equal(t, repository.Namespace, release.Namespace)
	require.NotNil(t, repository.Spec.LayerSelector)
	assert.Equal(t, "application/vnd.cncf.helm.chart.content.v1.tar+gzip", repository.Spec.LayerSelector.MediaType) // a chart as `helm push` pushes it
	assert.Equal(t, chartVersion(t), repository.Spec.Reference.Tag)
	require.NotNil(t, release.Spec.Values)
	values, err := yaml.JSONToYAML(release.Spec.Values.Raw)
	require.NoError(t, err)
	requireRuntime(t, values)
}

func TestArgoCD(t *testing.T) {
	t.Parallel()
	validator, err := manifests.NewValidator(t.Context(), root(t))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root(t), "charts", "gitops-runtime", "ci", "argo-cd-application.yaml"))
	require.NoError(t, err)
	objects, err := render.Parse(string(text))
	require.NoError(t, err)
	require.Len(t, objects, 1)
	require.Empty(t, validator.Validate(string(text)))
	values, err := yaml.Marshal(objects[0].Object["spec"].(map[string]any)["source"].(map[string]any)["helm"].(map[string]any)["valuesObject"])
	require.NoError(t, err)
	assert.Nil(t, render.Find(requireRuntime(t, values), "Deployment", "argo-cd-server"))
}

// The wrapper chart renders with the chart of this checkout as its dependency, and without it.
func TestWrapperChart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(root(t), "docs", "examples", "wrapper-chart"))))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "charts"), 0o750))
	require.NoError(t, os.CopyFS(filepath.Join(folder, "charts", "gitops-runtime"), os.DirFS(filepath.Join(root(t), "charts", "gitops-runtime"))))
	for name, test := range map[string]struct {
		values map[string]any
		names  []string
	}{
		"with the runtime": {map[string]any{}, []string{"ConfigMap/platform-environment", "Deployment/cap-app-proxy"}},
		"by its condition": {map[string]any{"gitops-runtime": map[string]any{"enabled": false}}, []string{"ConfigMap/platform-environment"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart, err := helmchart.Load(t.Context(), helmchart.Source{Name: folder})
			require.NoError(t, err)
			made, err := helmrender.New(chart).Release(test.values, helmrender.Options{Name: "platform", Namespace: "codefresh"})
			require.NoError(t, err)
			objects, err := render.Parse(made.Manifest)
			require.NoError(t, err)
			var names []string
			for _, name := range render.Names(objects, "ConfigMap", "Deployment") {
				if name == "ConfigMap/platform-environment" || name == "Deployment/cap-app-proxy" {
					names = append(names, name)
				}
			}
			assert.ElementsMatch(t, test.names, names)
			if len(test.names) == 2 {
				assert.EqualValues(t, 2, render.Find(objects, "Deployment", "internal-router").Object["spec"].(map[string]any)["replicas"])
			}
		})
	}
}

// pinned matches a line with the version of the chart.
var pinned = regexp.MustCompile(`(?m)^ +(?:version|tag)\s*[:=]\s*"?([^"\s]+)"?\s+# version of the chart$`)

// Every version of the chart in the examples is the version of this checkout.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"flux/runtime.yaml", "helmfile/helmfile.yaml", "terraform/main.tf", "wrapper-chart/Chart.yaml"} {
		found := pinned.FindSubmatch(file(t, name))
		require.NotNil(t, found, name)
		assert.Equal(t, chartVersion(t), string(found[1]), name)
	}
}

func chartVersion(t *testing.T) string {
	t.Helper()
	read, err := version.Read(root(t))
	require.NoError(t, err)
	return read
}
