package imageregistry

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/foldertest"
	"gitops-runtime/localcluster/docker"
	"gitops-runtime/localcluster/internal/process"
)

// checkout returns a directory with the given text as the registry's source.
func checkout(t *testing.T, text string) string {
	t.Helper()
	return foldertest.New(t, map[string]string{"localcluster/cmd/registry/main.go": text, "localcluster/imageregistry/server/store.go": text})
}

func TestTheImageIsNamedByItsSource(t *testing.T) {
	one, err := Registry{Root: checkout(t, "package a")}.image()
	require.NoError(t, err)
	same, err := Registry{Root: checkout(t, "package a")}.image()
	require.NoError(t, err)
	tested := checkout(t, "package a")
	require.NoError(t, os.WriteFile(filepath.Join(tested, "localcluster/cmd/registry/main_test.go"), []byte("package a"), 0o600))
	alike, err := Registry{Root: tested}.image()
	require.NoError(t, err)
	other, err := Registry{Root: checkout(t, "package b")}.image()
	require.NoError(t, err)
	assert.Equal(t, one, same)
	assert.Equal(t, one, alike, "tests are not part of the source")
	assert.NotEqual(t, one, other)
	assert.Regexp(t, "^gitops-runtime/registry:[0-9a-f]{12}$", one)
}

func TestTheSourceMustBeThere(t *testing.T) {
	root := t.TempDir()
	_, err := Registry{Root: root}.image()
	assert.EqualError(t, err, "no source of the registry in "+root+": that is not a checkout of this repository")
}

func TestStopRemovesTheContainer(t *testing.T) {
	var calls []string
	run := func(_ context.Context, c process.Command) (string, error) {
		calls = append(calls, c.String())
		return "", nil
	}
	require.NoError(t, Registry{Engine: docker.At("", run)}.Stop(context.Background()))
	assert.Equal(t, []string{"docker rm --force --volumes gitops-runtime-registry"}, calls)
}
