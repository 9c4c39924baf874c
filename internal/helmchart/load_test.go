package helmchart_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// names is a chart's tree of dependencies.
func names(c *chart.Chart) map[string]any {
	all := map[string]any{}
	for _, child := range c.Dependencies() {
		all[child.Name()] = names(child)
	}
	return all
}

func TestWhole(t *testing.T) {
	want := map[string]any{"trap-child": map[string]any{"trap-grandchild": map[string]any{}}, "trap-grandchild": map[string]any{}}
	loaded, err := helmchart.Whole(context.Background(), "../../imageoverride/testdata/trap", registry.Access{})
	require.NoError(t, err)
	require.Equal(t, want, names(loaded))

	archive, err := chartutil.Save(loaded, t.TempDir())
	require.NoError(t, err)
	packed, err := helmchart.Whole(context.Background(), archive, registry.Access{})
	require.NoError(t, err)
	require.Equal(t, want, names(packed))
}

func TestWholeFromRegistry(t *testing.T) {
	server := registrytest.StartTLS(t)
	access := registry.Access{CAFile: server.CAFile}
	loaded, err := helmchart.Whole(context.Background(), "../../imageoverride/testdata/trap", registry.Access{})
	require.NoError(t, err)
	archive, err := chartutil.Save(loaded, t.TempDir())
	require.NoError(t, err)
	data, err := os.ReadFile(archive)
	require.NoError(t, err)
	reference := server.Name + "/charts/trap"
	registrytest.Push(t, reference+":0.1.0", registrytest.Chart(t, data, registrytest.ChartLayer), server.Trusting(t))
	registrytest.Push(t, reference+":0.2.0-rc.1", registrytest.Chart(t, []byte("no chart"), registrytest.ChartLayer), server.Trusting(t))

	for _, version := range []string{":0.1.0", ""} {
		pulled, err := helmchart.Whole(context.Background(), "oci://"+reference+version, access)
		require.NoError(t, err)
		require.Equal(t, names(loaded), names(pulled))
	}
	_, err = helmchart.Whole(context.Background(), "oci://"+reference+":0.2.0-rc.1", access)
	require.ErrorContains(t, err, "chart "+reference+":0.2.0-rc.1 cannot be read: ")
	_, err = helmchart.Whole(context.Background(), "oci://"+reference+":0.1.0", registry.Access{})
	require.EqualError(t, err, "pull chart "+reference+":0.1.0 failed: the certificate of "+server.Name+" is not trusted (certificate signed by unknown authority); set its certificate authority with --ca-file")
}

func TestWholeErrors(t *testing.T) {
	cases := map[string]string{
		"../../imageoverride/testdata/none":            "chart ../../imageoverride/testdata/none cannot be read: no such file",
		"https://x/c.tgz":                              "chart https://x/c.tgz: a chart is a directory, an archive or an oci:// reference; fetch this one with `helm pull` first",
		"../../imageoverride/testdata/golden":          "chart directory ../../imageoverride/testdata/golden cannot be read: Chart.yaml file is missing",
		"../../imageoverride/testdata/trap/Chart.yaml": "chart archive ../../imageoverride/testdata/trap/Chart.yaml cannot be read: ",
		"testdata/loading/absent":                      "chart testdata/loading/absent needs its dependency remote 1.2.3 from https://charts.example.com; run `helm dependency build testdata/loading/absent` first",
		"testdata/loading/circle-a":                    "remove one of the file:// dependencies",
	}
	for path, want := range cases {
		_, err := helmchart.Whole(context.Background(), path, registry.Access{})
		require.ErrorContains(t, err, want)
	}
}
