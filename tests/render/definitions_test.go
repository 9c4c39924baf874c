package render_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
)

// CRDs are templates, not files in a crds/ folder: Helm installs that folder but never upgrades it, so an upgrade from the published chart would lack
// new kinds.
func TestDefinitionsArePartOfTheRelease(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("..", "..", "charts", "*", "crds"))
	require.NoError(t, err)
	assert.Empty(t, folders)

	var rendered []string
	for _, object := range (render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}).Objects(t) {
		if object.GetKind() == "CustomResourceDefinition" {
			rendered = append(rendered, object.GetName()+".yaml")
		}
	}
	for _, chart := range []string{"argo-cd", "argo-events", "argo-rollouts"} {
		files, err := os.ReadDir(filepath.Join("..", "..", "charts", chart, "files", "crds"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			name := file.Name()[:len(file.Name())-len(".yaml")] + ".argoproj.io.yaml"
			assert.Contains(t, rendered, name, "a definition of charts/%s", chart)
		}
	}
}
