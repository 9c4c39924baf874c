package render_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// TestDocumentedApplication tests that the documented Application refers to this chart and version, and that its values render a runtime with an
// external Argo CD.
func TestDocumentedApplication(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	folder := filepath.Join(root, "charts", "gitops-runtime")
	var application, chart map[string]any
	for name, into := range map[string]*map[string]any{filepath.Join("ci", "argo-cd-application.yaml"): &application, "Chart.yaml": &chart} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, yaml.UnmarshalStrict(text, into))
	}
	source, _, err := unstructured.NestedMap(application, "spec", "source")
	require.NoError(t, err)
	assert.Equal(t, chart["name"], source["chart"])
	assert.Equal(t, chart["version"], source["targetRevision"])

	values, _, err := unstructured.NestedMap(source, "helm", "valuesObject")
	require.NoError(t, err)
	text, err := yaml.Marshal(values)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	objects := render.Release{Chart: "gitops-runtime", Values: []string{file}}.Objects(t)
	assert.NotNil(t, render.Find(objects, "Deployment", "cap-app-proxy"))
	assert.Nil(t, render.Find(objects, "Deployment", "argo-cd-server"))
	settings := render.Find(objects, "ConfigMap", "cap-app-proxy-cm")
	require.NotNil(t, settings)
	url, _, err := unstructured.NestedString(settings.Object, "data", "argoCdUrl")
	require.NoError(t, err)
	assert.Equal(t, "http://argocd-server.argocd.svc.cluster.local:80", url)
}
