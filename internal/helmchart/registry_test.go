package helmchart_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

func TestPull(t *testing.T) {
	host, file := registrytest.Start(t).Name, filepath.Join(t.TempDir(), "chart.tgz")
	pack(t, file, map[string]string{
		"umbrella/Chart.yaml":               "name: umbrella\nversion: 1.2.3\ndependencies: [{name: inside, alias: within}]\n",
		"umbrella/values.yaml":              "a: 1\n",
		"umbrella/values.schema.json":       "{}",
		"umbrella/charts/inside/Chart.yaml": "name: inside\nversion: 2.0.0\n",
	})
	archive, err := os.ReadFile(file)
	require.NoError(t, err)
	registrytest.Push(t, host+"/charts/umbrella:1.2.3", registrytest.Chart(t, archive, registrytest.ChartLayer))
	registrytest.Push(t, host+"/charts/broken:1.0.0", registrytest.Chart(t, []byte("no archive"), registrytest.ChartLayer))
	loaded, err := helmchart.Pull(context.Background(), registry.Access{}, "oci://"+host+"/charts/umbrella", "")
	require.NoError(t, err)
	assert.Equal(t, "umbrella 1.2.3 map[a:1] schema [within 2.0.0 map[]]", describe(loaded))
	for reference, want := range map[string]string{
		"/charts/broken:1.0.0": "/charts/broken:1.0.0: not a packaged chart (.tgz): ",
		"/charts/absent:1.0.0": "/charts/absent:1.0.0 failed: " + host + " answers 404",
	} {
		_, err := helmchart.Pull(context.Background(), registry.Access{}, "oci://"+host+reference, "")
		assert.ErrorContains(t, err, want)
	}
}
