package render_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/tests/gomodule"
)

// A release has to fit the Secret that Helm keeps it in (1 MiB), with room for what users add.
func TestReleaseFitsItsSecret(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		size := storedSize(t, installed(t, mode))
		t.Logf("%s: %d KiB", mode, size/1024)
		assert.Less(t, size, 700*1024, mode)
	}
}

// installed is the release that `helm install --dry-run` would store.
func installed(tb testing.TB, mode string) *release.Release {
	tb.Helper()
	root, err := gomodule.Root()
	require.NoError(tb, err)
	folder := filepath.Join(root, "charts", "gitops-runtime")
	chart, err := loader.Load(folder)
	require.NoError(tb, err)
	values, err := chartutil.ReadValuesFile(filepath.Join(folder, "ci", mode+"-values.yaml"))
	require.NoError(tb, err)
	install := action.NewInstall(&action.Configuration{})
	install.ReleaseName, install.Namespace = "cf", "codefresh"
	install.DryRun, install.ClientOnly, install.Replace = true, true, true
	install.KubeVersion = &chartutil.KubeVersion{Version: "v1.34.4", Major: "1", Minor: "34"}
	made, err := install.Run(chart, values)
	require.NoError(tb, err)
	return made
}

// storedSize is how many bytes the release takes in a Secret: JSON, compressed, base64, as Helm's storage driver has it;
// the API stores a Secret's data in base64 once, and Helm encodes once before.
func storedSize(t *testing.T, made *release.Release) int {
	t.Helper()
	text, err := json.Marshal(made)
	require.NoError(t, err)
	var packed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	require.NoError(t, err)
	_, err = writer.Write(text)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return len(base64.StdEncoding.EncodeToString(packed.Bytes()))
}

// The same input gives the same bytes; NOTES.txt names the access mode.
func TestRenderIsRepeatable(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		first, second := installed(t, mode), installed(t, mode)
		assert.Equal(t, first.Manifest, second.Manifest, mode)
		assert.True(t, strings.Contains(first.Info.Notes, "Access mode: "+mode), first.Info.Notes)
	}
}

func BenchmarkRender(b *testing.B) {
	for b.Loop() {
		installed(b, "tunnel")
	}
}
