package gomodule_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

func TestRootIsTheFolderOfGoMod(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(root, "go.mod"))
	assert.DirExists(t, filepath.Join(root, "internal", "gomodule"))
}

func TestRootOutsideTheCheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := gomodule.Root()
	assert.ErrorContains(t, err, "run inside the checkout")
}

func TestFindReturnsTheRequiredVersion(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	module, err := gomodule.Find(t.Context(), root, "sigs.k8s.io/yaml")
	require.NoError(t, err)
	assert.Equal(t, "sigs.k8s.io/yaml", module.Path)
	assert.FileExists(t, filepath.Join(module.Dir, "yaml.go"))
	assert.Equal(t, "yaml@"+module.Version, filepath.Base(module.Dir))
}

func TestFindOfAModuleThatIsNotRequired(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o600))
	_, err := gomodule.Find(t.Context(), dir, "example.com/absent")
	assert.EqualError(t, err, filepath.Join(dir, "go.mod")+" does not require example.com/absent; add it with its version")
}

func TestFindWithoutAGoMod(t *testing.T) {
	_, err := gomodule.Find(t.Context(), t.TempDir(), "example.com/absent")
	assert.ErrorContains(t, err, "go.mod")
}
