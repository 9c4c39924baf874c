// Package testkit has what tests of several packages share: folders with files, and malformed texts.
package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Folder creates a temporary folder with files, by their slash-separated paths in it, and returns its path.
func Folder(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		WriteFile(t, filepath.Join(root, filepath.FromSlash(name)), content)
	}
	return root
}

// WriteFile writes a file, and creates its folder if it does not exist.
func WriteFile(t testing.TB, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// Files returns the contents of all files below a folder, by their slash-separated paths in it.
func Files(t testing.TB, folder string) map[string]string {
	t.Helper()
	all, root := map[string]string{}, os.DirFS(folder)
	require.NoError(t, fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		all[path] = string(data)
		return err
	}))
	return all
}
