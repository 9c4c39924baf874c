package archive

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// entries returns the names of a tar file's entries in order, and the content of each.
func entries(t *testing.T, text []byte) (names []string, content map[string]string) {
	t.Helper()
	content = map[string]string{}
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		header, err := r.Next()
		if err == io.EOF {
			return names, content
		}
		require.NoError(t, err)
		body, err := io.ReadAll(r)
		require.NoError(t, err)
		names = append(names, header.Name)
		content[header.Name] = string(body)
	}
}

func layer(t *testing.T, fill func(*Layer)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "layer.tar")
	l, err := Create(path)
	require.NoError(t, err)
	fill(l)
	require.NoError(t, l.Close())
	return path
}

func TestWriteSharesLayers(t *testing.T) {
	base := layer(t, func(l *Layer) { l.Text("etc/base", 0o644, "b") })
	more := layer(t, func(l *Layer) { l.Text("etc/more", 0o644, "m") })
	images := []Image{
		{Names: []string{"a:1"}, Layers: []string{base}, Config: Config{Entrypoint: []string{"/a"}}},
		{Names: []string{"b:1", "b:2"}, Layers: []string{base, more}, Config: Config{Env: []string{"A=1"}, StopSignal: "SIGRTMIN+3"}},
	}
	var out, again bytes.Buffer
	require.NoError(t, Write(&out, images...))
	require.NoError(t, Write(&again, images...))
	assert.Equal(t, out.Bytes(), again.Bytes(), "the same images give the same bytes")

	names, content := entries(t, out.Bytes())
	assert.Len(t, names, 5, "two layers, two configurations, the manifest: %q", names)
	var manifests []manifest
	require.NoError(t, json.Unmarshal([]byte(content["manifest.json"]), &manifests))
	require.Len(t, manifests, 2)
	assert.Equal(t, []string{"a:1"}, manifests[0].RepoTags)
	assert.Equal(t, []string{"b:1", "b:2"}, manifests[1].RepoTags)
	assert.Equal(t, manifests[0].Layers[0], manifests[1].Layers[0])
	baseText, err := os.ReadFile(base)
	require.NoError(t, err)
	assert.Equal(t, string(baseText), content[manifests[0].Layers[0]])

	digest := func(file string) string { return "sha256:" + file[:len(file)-len(".tar")] }
	want, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "created": "1970-01-01T00:00:00Z",
		"config": map[string]any{"Env": []string{"A=1"}, "StopSignal": "SIGRTMIN+3"},
		"rootfs": map[string]any{
			"type": "layers", "diff_ids": []string{digest(manifests[1].Layers[0]), digest(manifests[1].Layers[1])},
		},
	})
	require.NoError(t, err)
	assert.JSONEq(t, string(want), content[manifests[1].Config])
}

func TestWriteNamesTheMissingLayer(t *testing.T) {
	err := Write(io.Discard, Image{Names: []string{"a:1"}, Layers: []string{"/nowhere/layer.tar"}})
	assert.EqualError(t, err, "open /nowhere/layer.tar: no such file or directory")
}
