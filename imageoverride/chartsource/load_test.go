package chartsource_test

import (
	"context"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/imageoverride/chartsource"
)

// names is a chart's tree of dependencies.
func names(c *chart.Chart) map[string]any {
	all := map[string]any{}
	for _, child := range c.Dependencies() {
		all[child.Name()] = names(child)
	}
	return all
}

func TestLoad(t *testing.T) {
	want := map[string]any{"trap-child": map[string]any{"trap-grandchild": map[string]any{}}, "trap-grandchild": map[string]any{}}
	loaded, err := chartsource.Load(context.Background(), "../testdata/trap")
	require.NoError(t, err)
	require.Equal(t, want, names(loaded))

	archive, err := chartutil.Save(loaded, t.TempDir())
	require.NoError(t, err)
	packed, err := chartsource.Load(context.Background(), archive)
	require.NoError(t, err)
	require.Equal(t, want, names(packed))
}

func TestLoadFromRegistry(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	loaded, err := chartsource.Load(context.Background(), "../testdata/trap")
	require.NoError(t, err)
	archive, err := chartutil.Save(loaded, t.TempDir())
	require.NoError(t, err)
	data, err := os.ReadFile(archive)
	require.NoError(t, err)
	push(t, host+"/charts/trap:0.1.0", data, "application/vnd.cncf.helm.chart.content.v1.tar+gzip")
	push(t, host+"/charts/image:0.1.0", data, types.OCILayer)

	pulled, err := chartsource.Load(context.Background(), "oci://"+host+"/charts/trap:0.1.0")
	require.NoError(t, err)
	require.Equal(t, names(loaded), names(pulled))

	_, err = chartsource.Load(context.Background(), "oci://"+host+"/charts/image:0.1.0")
	require.ErrorContains(t, err, "/charts/image:0.1.0 is not a chart: it has no layer of type")
	_, err = chartsource.Load(context.Background(), "oci://"+host+"/charts/trap:9.9.9")
	require.EqualError(t, err, "pull chart "+host+"/charts/trap:9.9.9 failed: "+host+" answers 404 (unknown manifest); check the name and the tag")
	_, err = chartsource.Load(context.Background(), "oci://"+host+"/charts/trap")
	require.ErrorContains(t, err, "write oci://host/path:version")
}

func push(t *testing.T, reference string, data []byte, kind types.MediaType) {
	t.Helper()
	parsed, err := name.ParseReference(reference)
	require.NoError(t, err)
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), static.NewLayer(data, kind))
	require.NoError(t, err)
	require.NoError(t, remote.Write(parsed, image))
}

func TestLoadErrors(t *testing.T) {
	cases := map[string]string{
		"../testdata/none":             "chart ../testdata/none cannot be read: there is no such file",
		"https://x/c.tgz":              "chart https://x/c.tgz: a chart is a directory, an archive or an oci:// reference; fetch this one with `helm pull` first",
		"../testdata/golden":           "chart directory ../testdata/golden cannot be read: Chart.yaml file is missing",
		"../testdata/trap/Chart.yaml":  "chart archive ../testdata/trap/Chart.yaml cannot be read: ",
		"../testdata/loading/absent":   "chart ../testdata/loading/absent needs its dependency remote 1.2.3 from https://charts.example.com; run `helm dependency build ../testdata/loading/absent` first",
		"../testdata/loading/circle-a": "remove one of the file:// dependencies",
	}
	for path, want := range cases {
		_, err := chartsource.Load(context.Background(), path)
		require.ErrorContains(t, err, want)
	}
}
