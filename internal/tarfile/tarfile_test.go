package tarfile_test

import (
	"archive/tar"
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/tarfile"
	"gitops-runtime/internal/testkit"
)

func TestWrite(t *testing.T) {
	folder := testkit.Folder(t, map[string]string{"a": "of a file"})
	var archive bytes.Buffer
	out := tar.NewWriter(&archive)
	require.NoError(t, tarfile.WriteFile(out, &tar.Header{Name: "x/a", Mode: 0o640}, filepath.Join(folder, "a")))
	require.NoError(t, tarfile.WriteText(out, &tar.Header{Name: "b", Mode: 0o644}, "a text"))
	require.ErrorContains(t, tarfile.WriteFile(out, &tar.Header{Name: "c"}, filepath.Join(folder, "missing")), "no such file")
	require.NoError(t, out.Close())
	var got []string
	for in := tar.NewReader(&archive); ; {
		header, err := in.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		got = append(got, header.FileInfo().Mode().String()+" "+header.Name+": "+string(text))
	}
	require.Equal(t, []string{"-rw-r----- x/a: of a file", "-rw-r--r-- b: a text"}, got)
}
