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
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/tests/compat"
	"gitops-runtime/tests/processor"
)

// A release has to fit the Secret that Helm keeps it in (1 MiB), with room for what users add; tests/golden asks that of each access mode.
func TestReleaseFitsItsSecret(t *testing.T) {
	t.Parallel()
	check := func(name, chart string, values map[string]any, limit int) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := storedSize(t, installed(t, chart, values)) / 1024
			t.Logf("%d KiB", size)
			assert.Less(t, size, limit)
		})
	}
	everything := ci(t, "gitops-runtime", "tunnel")
	for _, chart := range argoCharts() {
		on := everythingOn(t, chart)
		everything[chart] = on
		check(chart, chart, nil, 512)
		check(chart+" with everything on", chart, on, 640) // a chart's own files are in its release, beside what is made of them
	}
	check("everything on", "gitops-runtime", everything, 512)
}

func argoCharts() []string {
	return []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows"}
}

// everythingOn are values of one of Argo's charts with all that can be switched on.
func everythingOn(tb testing.TB, chart string) map[string]any {
	tb.Helper()
	fixture, err := compat.ReadFixture(chart)
	require.NoError(tb, err)
	delete(fixture.Base, "crds") // left out there because they are the same whatever the values say
	delete(fixture.Base, "installCRDs")
	if chart == "argo-workflows" {
		fixture.Base["crds"] = map[string]any{"full": true}
	}
	return fixture.Base
}

// ci are the values of a file of a chart's ci/ folder.
func ci(tb testing.TB, chart, name string) map[string]any {
	tb.Helper()
	root, err := gomodule.Root()
	require.NoError(tb, err)
	values, err := chartutil.ReadValuesFile(filepath.Join(root, "charts", chart, "ci", name+"-values.yaml"))
	require.NoError(tb, err)
	return values
}

// load reads a chart of the checkout.
func load(tb testing.TB, name string) *chart.Chart {
	tb.Helper()
	root, err := gomodule.Root()
	require.NoError(tb, err)
	loaded, err := helmchart.Load(tb.Context(), helmchart.Source{Name: filepath.Join(root, "charts", name)})
	require.NoError(tb, err)
	return loaded
}

// installed is the release that `helm install --dry-run` would store.
func installed(tb testing.TB, chart string, values map[string]any) *release.Release {
	tb.Helper()
	made, err := helmrender.New(load(tb, chart)).Release(values, helmrender.Options{Name: "cf", Namespace: "codefresh"})
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

// NOTES.txt names the access mode.
func TestNotesNameTheAccessMode(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		made, err := umbrella(mode, nil).Made(t)
		require.NoError(t, err)
		assert.True(t, strings.Contains(made.Info.Notes, "Access mode: "+mode), made.Info.Notes)
	}
}

// BenchmarkRenderArgo reads and renders the four charts of Argo, each on its own with its default values.
func BenchmarkRenderArgo(b *testing.B) {
	begun := processor.Time(b)
	for b.Loop() {
		for _, chart := range argoCharts() {
			installed(b, chart, nil)
		}
	}
	processor.Report(b, begun)
}
