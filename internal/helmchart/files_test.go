package helmchart_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
)

// describe writes a chart and its dependencies on one line.
func describe(of *helmchart.Chart) string {
	text := fmt.Sprint(of.Name, " ", of.Version, " ", of.Defaults)
	if of.Schema != nil {
		text += " schema"
	}
	for _, dependency := range of.Dependencies {
		condition := ""
		if dependency.Condition != "" {
			condition = " if " + dependency.Condition
		}
		text += fmt.Sprintf(" [%s%s]", describe(dependency.Chart), condition)
	}
	return text
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return root
}

func pack(t *testing.T, name string, files map[string]string) {
	t.Helper()
	var data bytes.Buffer
	zipped := gzip.NewWriter(&data)
	archive := tar.NewWriter(zipped)
	for file, text := range files {
		header := &tar.Header{Name: file, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}
		require.NoError(t, archive.WriteHeader(header))
		_, err := archive.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	require.NoError(t, os.WriteFile(name, data.Bytes(), 0o644))
}
