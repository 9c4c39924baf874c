package generated_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/generated"
)

func TestWriteAndDrift(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := []generated.File{{Path: "docs/one.md", Text: []byte("1\n")}, {Path: "two.md", Text: []byte("2\n")}}
	drift, err := generated.Drift(root, files)
	require.NoError(t, err)
	require.Equal(t, []string{"docs/one.md is missing; run make generate", "two.md is missing; run make generate"}, drift)

	require.NoError(t, generated.Write(root, files))
	drift, err = generated.Drift(root, files)
	require.NoError(t, err)
	require.Empty(t, drift)

	require.NoError(t, os.WriteFile(filepath.Join(root, "two.md"), []byte("3\n"), 0o600))
	drift, err = generated.Drift(root, files)
	require.NoError(t, err)
	require.Equal(t, []string{"two.md differs from its source; run make generate"}, drift)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "folder"), 0o755))
	inPlaceOfFolder := []generated.File{{Path: "folder"}}
	require.ErrorContains(t, generated.Write(root, inPlaceOfFolder), "write a generated file: ")
	_, err := generated.Drift(root, inPlaceOfFolder)
	require.ErrorContains(t, err, "read a generated file: ")
}
