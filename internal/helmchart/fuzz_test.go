package helmchart_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
)

func header(name, text string) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}
}

// packed builds an archive from alternating names and texts.
func packed(t *testing.T, entries ...string) []byte {
	t.Helper()
	var data bytes.Buffer
	zipped := gzip.NewWriter(&data)
	into := tar.NewWriter(zipped)
	for i := 0; i+1 < len(entries); i += 2 {
		require.NoError(t, into.WriteHeader(header(entries[i], entries[i+1])))
		_, err := into.Write([]byte(entries[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, into.Close())
	require.NoError(t, zipped.Close())
	return data.Bytes()
}

// Loading an archive does not panic or hang.
func FuzzArchive(f *testing.F) {
	const meta = "apiVersion: v2\nname: c\nversion: 1.0.0\n"
	f.Add("c/values.yaml", "a: 1\n", meta)
	f.Add("c/charts/d/Chart.yaml", meta, meta+"dependencies: [{name: c, version: 1.0.0, condition: a.b}]\n")
	f.Add("c/charts/d-1.0.0.tgz", meta, meta)
	f.Add(`c\templates\..\x`, "{{", meta)
	f.Add("../Chart.yaml", "&a [*a]", "{")
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, name, text, chart string) {
		if tar.NewWriter(io.Discard).WriteHeader(header(name, text)) != nil {
			return // no archive can have this name
		}
		inner := packed(t, "c/Chart.yaml", chart, name, text)
		path := filepath.Join(folder, "c.tgz")
		for _, archive := range [][]byte{inner, packed(t, "o/Chart.yaml", meta, "o/charts/c.tgz", string(inner)), []byte(text)} {
			require.NoError(t, os.WriteFile(path, archive, 0o600))
			if loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: path}); err == nil {
				helmchart.Of(loaded)
			}
		}
	})
}
