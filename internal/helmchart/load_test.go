package helmchart_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
	"gitops-runtime/internal/testkit"
)

// names returns the names of the dependency tree of a chart.
func names(c *chart.Chart) map[string]any {
	all := map[string]any{}
	for _, child := range c.Dependencies() {
		all[child.Name()] = names(child)
	}
	return all
}

func TestLoad(t *testing.T) {
	want := map[string]any{"trap-child": map[string]any{"trap-grandchild": map[string]any{}}, "trap-grandchild": map[string]any{}}
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: "../../imageoverride/testdata/trap", Registry: registry.Access{}})
	require.NoError(t, err)
	require.Equal(t, want, names(loaded))

	archive, err := chartutil.Save(loaded, t.TempDir())
	require.NoError(t, err)
	packed, err := helmchart.Load(t.Context(), helmchart.Source{Name: archive, Registry: registry.Access{}})
	require.NoError(t, err)
	require.Equal(t, want, names(packed))
}

func TestLoadFromRegistry(t *testing.T) {
	server := registrytest.StartTLS(t)
	access := registry.Access{CAFile: server.CAFile}
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: "../../imageoverride/testdata/trap", Registry: registry.Access{}})
	require.NoError(t, err)
	archive, err := chartutil.Save(loaded, t.TempDir())
	require.NoError(t, err)
	data, err := os.ReadFile(archive)
	require.NoError(t, err)
	reference := server.Name + "/charts/trap"
	registrytest.Push(t, reference+":0.1.0", registrytest.Chart(t, data, registrytest.ChartLayer), server.Trusting(t))
	registrytest.Push(t, reference+":0.2.0-rc.1", registrytest.Chart(t, []byte("no chart"), registrytest.ChartLayer), server.Trusting(t))

	for _, from := range []helmchart.Source{
		{Name: "oci://" + reference + ":0.1.0"},
		{Name: "oci://" + reference, Version: "0.1.0"},
		{Name: "oci://" + reference},
	} {
		from.Registry = access
		pulled, err := helmchart.Load(t.Context(), from)
		require.NoError(t, err)
		require.Equal(t, names(loaded), names(pulled))
	}
	_, err = helmchart.Load(t.Context(), helmchart.Source{Name: "oci://" + reference})
	require.EqualError(t, err, "chart oci://"+reference+": this program does not pull charts; fetch it with `helm pull` first")
	_, err = helmchart.Load(t.Context(), helmchart.Source{Name: "oci://" + reference, Version: "9.9.9", Registry: access})
	require.ErrorContains(t, err, reference+":9.9.9 failed: "+server.Name+" answers 404")
	_, err = helmchart.Load(t.Context(), helmchart.Source{Name: "oci://" + reference + ":0.2.0-rc.1", Registry: access})
	require.ErrorContains(t, err, "chart "+reference+":0.2.0-rc.1 cannot be read: ")
	_, err = helmchart.Load(t.Context(), helmchart.Source{Name: "oci://" + reference + ":0.1.0", Registry: registry.Access{}})
	require.EqualError(t, err, "pull chart "+reference+":0.1.0 failed: the certificate of "+server.Name+" is not trusted (certificate signed by unknown authority); set its certificate authority with --ca-file")
}

func TestLoadErrors(t *testing.T) {
	cases := map[string]string{
		"../../imageoverride/testdata/none":            "chart ../../imageoverride/testdata/none cannot be read: no such file",
		"https://x/c.tgz":                              "chart https://x/c.tgz: a chart is a directory, a .tgz file or an oci:// reference; fetch this one with `helm pull` first",
		"../../imageoverride/testdata/golden":          "chart directory ../../imageoverride/testdata/golden cannot be read: Chart.yaml file is missing",
		"../../imageoverride/testdata/trap/Chart.yaml": "chart archive ../../imageoverride/testdata/trap/Chart.yaml cannot be read: ",
		"testdata/loading/absent":                      "chart testdata/loading/absent needs its dependency remote 1.2.3 from https://charts.example.com; run `helm dependency build testdata/loading/absent` first",
		"testdata/loading/circle-a":                    "remove one of the file:// dependencies",
	}
	for path, want := range cases {
		_, err := helmchart.Load(t.Context(), helmchart.Source{Name: path, Registry: registry.Access{}})
		require.ErrorContains(t, err, want)
	}
	root := testkit.Folder(t, map[string]string{
		"broken/Chart.yaml": "a: [", "values/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n", "values/values.yaml": "- 1", "not.tgz": "no archive",
		"nameless/Chart.yaml": "apiVersion: v2\nversion: 1.0.0\n",
	})
	for name, want := range map[string]string{
		"broken":   "broken cannot be read: cannot load Chart.yaml: ",
		"nameless": "nameless cannot be read: validation: chart.metadata.name is required",
		"values":   "values cannot be read: cannot load values.yaml: ",
		"not.tgz":  "not.tgz cannot be read: it is not a packaged chart (.tgz): ",
	} {
		_, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(root, name)})
		require.ErrorContains(t, err, want)
	}
}
