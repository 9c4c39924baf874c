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

// Helm says nothing of values that are given as they are published, such as that a list stands where the chart has a map. It says so in the
// log of the process, which other tests share: so this one does not run beside them.
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
	said := warnings(t, root, "gitops-runtime", map[string]any{"app-proxy": map[string]any{"env": []any{}}, "redis": map[string]any{"image": map[string]any{"tag": map[string]any{}}}})
	assert.Contains(t, said, "cannot overwrite table with non table for gitops-runtime.app-proxy.env (map[")
	assert.Contains(t, said, "destination for gitops-runtime.redis.image.tag is a table.")
}

// warnings are what Helm logs while it lays values over those of a chart.
func warnings(t *testing.T, root, name string, values map[string]any) string {
	t.Helper()
	chart, err := load(root, name)
	require.NoError(t, err)
	var said bytes.Buffer
	before := log.Writer()
	log.SetOutput(&said)
	defer log.SetOutput(before)
	for _, each := range append(chart.Dependencies(), chart) {
		each.Schema = nil // which refuses some in words, and logs nothing
	}
	_, _, err = helmrender.New(chart).Prepare(values, helmrender.Options{Name: "cf", Namespace: "codefresh"})
	require.NoError(t, err)
	return said.String()
}
