// Package foldertest creates folders for tests.
package foldertest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// New creates a temporary folder with files, by their slash-separated paths in it, and returns its path.
func New(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		Write(t, filepath.Join(root, filepath.FromSlash(name)), content)
	}
	return root
}

// Write writes a file, and creates its folder if it does not exist.
func Write(t testing.TB, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
