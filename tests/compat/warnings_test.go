package compat

import (
	"bytes"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmrender"
)

// Helm logs no warning, such as a list in place of the chart's map, for the published values. The test captures the log of the process, so it
// does not run in parallel with others.
func TestPublishedValuesGiveNoWarnings(t *testing.T) { //nolint:paralleltest // see above
	root, err := gomodule.Root()
	require.NoError(t, err)
	charts, err := Charts()
	require.NoError(t, err)
	for _, name := range charts {
		versions, err := Versions(name)
		require.NoError(t, err)
		if len(versions) == 0 {
			versions = []string{""}
		}
		for _, version := range versions {
			values, err := Published(name, version)
			require.NoError(t, err)
			assert.Empty(t, warnings(t, root, name, values), "%s %s", name, version)
			if name != "gitops-runtime" {
				assert.Empty(t, warnings(t, root, "gitops-runtime", map[string]any{name: values}), "%s as a part of gitops-runtime", name)
			}
		}
	}
	logged := warnings(t, root, "gitops-runtime", map[string]any{"app-proxy": map[string]any{"env": []any{}}, "redis": map[string]any{"image": map[string]any{"tag": map[string]any{}}}})
	assert.Contains(t, logged, "cannot overwrite table with non table for gitops-runtime.app-proxy.env (map[")
	assert.Contains(t, logged, "destination for gitops-runtime.redis.image.tag is a table.")
}

// warnings returns the log of Helm while it merges values over those of a chart.
func warnings(t *testing.T, root, name string, values map[string]any) string {
	t.Helper()
	chart, err := load(root, name)
	require.NoError(t, err)
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(&logged)
	defer log.SetOutput(before)
	for _, each := range append(chart.Dependencies(), chart) {
		each.Schema = nil // validation would reject some values before Helm logs a warning
	}
	_, _, err = helmrender.New(chart).Prepare(values, helmrender.Options{Name: "cf", Namespace: "codefresh"})
	require.NoError(t, err)
	return logged.String()
}
