package render_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/compat"
	"gitops-runtime/tests/render"
)

// A release fits into the Secret that Helm stores it in (1 MiB), with room for the user's values; tests/golden tests each access mode.
func TestReleaseFitsItsSecret(t *testing.T) {
	t.Parallel()
	check := func(name, chart string, values map[string]any, limit int) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored, err := render.Stored(installed(t, chart, values))
			require.NoError(t, err)
			t.Logf("%d KiB", len(stored)/1024)
			assert.Less(t, len(stored)/1024, limit)
		})
	}
	everything := ci(t, "gitops-runtime", "tunnel")
	for _, chart := range argoCharts() {
		on := everythingOn(t, chart)
		everything[chart] = on
		check(chart, chart, nil, 512)
		check(chart+" with everything on", chart, on, 640) // a release contains the chart's files and the rendered objects
	}
	check("everything on", "gitops-runtime", everything, 512)
}

func argoCharts() []string {
	return []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows"}
}

// everythingOn returns values that enable everything in one of the Argo charts.
func everythingOn(tb testing.TB, chart string) map[string]any {
	tb.Helper()
	fixture, err := compat.ReadFixture(chart)
	require.NoError(tb, err)
	delete(fixture.Base, "crds") // the fixture disables CRDs, which no value changes
	delete(fixture.Base, "installCRDs")
	if chart == "argo-workflows" {
		fixture.Base["crds"] = map[string]any{"full": true}
	}
	return fixture.Base
}

// ci returns the values of a file in a chart's ci/ folder.
func ci(tb testing.TB, chart, name string) map[string]any {
	tb.Helper()
	root, err := gomodule.Root()
	require.NoError(tb, err)
	values, err := chartutil.ReadValuesFile(filepath.Join(root, "charts", chart, "ci", name+"-values.yaml"))
	require.NoError(tb, err)
	return values
}

// load reads a chart from the checkout.
func load(tb testing.TB, name string) *chart.Chart {
	tb.Helper()
	root, err := gomodule.Root()
	require.NoError(tb, err)
	loaded, err := helmchart.Load(tb.Context(), helmchart.Source{Name: filepath.Join(root, "charts", name)})
	require.NoError(tb, err)
	return loaded
}

// installed returns the release that `helm install --dry-run` would store.
func installed(tb testing.TB, chart string, values map[string]any) *release.Release {
	tb.Helper()
	stored, err := helmrender.New(load(tb, chart)).Release(values, helmrender.Options{Name: "cf", Namespace: "codefresh"})
	require.NoError(tb, err)
	return stored
}

// BenchmarkRenderArgo reads and renders each of the four Argo charts with its default values.
func BenchmarkRenderArgo(b *testing.B) {
	start := testkit.CPUTime(b)
	for b.Loop() {
		for _, chart := range argoCharts() {
			installed(b, chart, nil)
		}
	}
	testkit.ReportCPU(b, start)
}
