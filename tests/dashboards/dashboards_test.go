package dashboards_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/dashboards"
	"gitops-runtime/tests/render"
)

func TestDashboardsAreUpToDate(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := dashboards.Generate()
	require.NoError(t, err)
	existing, err := filepath.Glob(filepath.Join(root, "charts", "gitops-runtime", "files", "dashboards", "*"))
	require.NoError(t, err)
	assert.Len(t, existing, len(files))
	drift, err := generated.Drift(root, files)
	require.NoError(t, err)
	assert.Empty(t, drift)
}

// Every panel says what it shows, has a type with a size, and a table shows labels of its metric or of the target.
func TestPanels(t *testing.T) {
	t.Parallel()
	all, err := dashboards.Dashboards()
	require.NoError(t, err)
	metrics, err := dashboards.Metrics()
	require.NoError(t, err)
	for _, dashboard := range all {
		stats := 0
		for _, panel := range dashboard.Panels {
			assert.Regexp(t, `^[A-Z0-9].*\.$`, panel.Description, panel.Title)
			assert.Contains(t, []string{"", "stat", "table"}, panel.Type, panel.Title)
			if panel.Type == "stat" {
				stats++
			}
			metric, _, _ := strings.Cut(panel.Expr, "{")
			for _, column := range panel.Columns {
				known := slices.Concat(metrics[metric].Labels, []string{"service", "pod", "instance", "exported_namespace"})
				assert.Contains(t, known, column, panel.Title)
			}
			assert.Equal(t, panel.Type == "table", len(panel.Columns) > 0, panel.Title)
		}
		assert.Equal(t, 4, stats, "%s starts with a row of numbers", dashboard.Name)
	}
}

// A metric that was not read on kind is in the source of the program's pinned version, with all of its labels.
func TestSources(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	metrics, err := dashboards.Metrics()
	require.NoError(t, err)
	seen := 0
	for name, metric := range metrics {
		if metric.Source == nil {
			continue
		}
		seen++
		module, err := gomodule.Find(t.Context(), filepath.Join(root, "tests", "e2e", "programs", metric.Source.Program), metric.Source.Module)
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(module.Dir, filepath.FromSlash(metric.Source.File)))
		require.NoError(t, err)
		for _, literal := range append([]string{name}, metric.Labels...) {
			assert.Contains(t, string(text), `"`+literal+`"`, "%s: %s", name, metric.Source.File)
		}
	}
	assert.Equal(t, 6, seen)
}

// One switch creates dashboards and rules; the values file also creates a ServiceMonitor for every program of the table, except sealed-secrets.
func TestSwitch(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	kinds := func(release render.Release) map[string][]string {
		found := map[string][]string{}
		for _, object := range release.Objects(t) {
			if object.GetKind() != "ConfigMap" || strings.Contains(object.GetName(), "-dashboard-") {
				found[object.GetKind()] = append(found[object.GetKind()], object.GetName())
			}
			if strings.Contains(object.GetName(), "-dashboard-") {
				assert.Equal(t, "1", object.GetLabels()["grafana_dashboard"])
			}
		}
		return found
	}
	release := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}
	off := kinds(release)
	assert.Empty(t, off["ConfigMap"])
	assert.Empty(t, off["PrometheusRule"])
	release.Set = map[string]string{"monitoring.enabled": "true"}
	on := kinds(release)
	assert.Equal(t, []string{"gitops-runtime-dashboard-argo-cd", "gitops-runtime-dashboard-controllers", "gitops-runtime-dashboard-programs"}, on["ConfigMap"])
	assert.Equal(t, []string{"gitops-runtime"}, on["PrometheusRule"])
	assert.Empty(t, on["ServiceMonitor"])

	release.Values = []string{filepath.Join(root, "charts", "gitops-runtime", "values-monitoring.yaml")}
	scraped := kinds(release)["ServiceMonitor"]
	metrics, err := dashboards.Metrics()
	require.NoError(t, err)
	for name, metric := range metrics {
		for _, program := range metric.Programs {
			if program != "sealed-secrets-controller" {
				assert.Contains(t, scraped, program, name)
			}
		}
	}
}
