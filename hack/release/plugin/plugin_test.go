package plugin_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/plugin"
	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
)

func TestPack(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	want, err := version.Read(root)
	require.NoError(t, err)
	for _, one := range plugin.Plugins() {
		packed, found, err := plugin.Pack(root, one)
		require.NoError(t, err)
		require.Equal(t, want, found["version"])
		again, _, err := plugin.Pack(root, one)
		require.NoError(t, err)
		require.Equal(t, packed, again, "the same input produces other bytes")
		unzipped, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		header, err := tar.NewReader(unzipped).Next()
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(one.Name, "-plugin")+"/plugin.yaml", header.Name)
		require.Zero(t, header.ModTime.Unix())
		rest, err := io.ReadAll(unzipped)
		require.NoError(t, err)
		require.NotEmpty(t, rest)
	}
	_, _, err = plugin.Pack(t.TempDir(), plugin.Plugins()[0])
	require.ErrorContains(t, err, "plugin image-override-plugin: ")
}
