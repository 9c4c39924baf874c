package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"gitops-runtime/validator/cli"
)

// packed is a small chart as `helm package` makes it.
func packed(t *testing.T) []byte {
	t.Helper()
	var data bytes.Buffer
	zipped := gzip.NewWriter(&data)
	archive := tar.NewWriter(zipped)
	for file, text := range map[string]string{
		"gitops-runtime/Chart.yaml":  "apiVersion: v2\nname: gitops-runtime\nversion: 1.2.3\n",
		"gitops-runtime/values.yaml": "global: {runtime: {name: null}, codefresh: {accountId: a}}\n",
		"gitops-runtime/values.schema.json": `{"$schema": "http://json-schema.org/draft-07/schema#", "additionalProperties": false,
			"properties": {"global": {"additionalProperties": false, "properties": {"runtime": {}, "codefresh": {}}}}}`,
	} {
		if err := archive.WriteHeader(&tar.Header{Name: file, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// A chart gives the same findings from a registry as from a packaged file.
func TestAChartFromARegistry(t *testing.T) {
	t.Setenv("HELM_CONFIG_HOME", t.TempDir())
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host, archive := strings.TrimPrefix(server.URL, "http://"), packed(t)
	target, err := name.ParseReference(host + "/charts/gitops-runtime:1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		static.NewLayer(archive, "application/vnd.cncf.helm.chart.content.v1.tar+gzip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(target, image); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for file, text := range map[string][]byte{"chart.tgz": archive, "values.yaml": []byte("globl: {}\nglobal:\n  runtime: {name: x}\n")} {
		if err := os.WriteFile(filepath.Clean(file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const typo = "values.yaml:1:1: fail: SCH101 There is no value globl (did you mean global?).\n"
	repository := "oci://" + host + "/charts/gitops-runtime"
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--chart chart.tgz", cli.ExitFailed, typo},
		{"--chart " + repository, cli.ExitFailed, typo},
		{"--chart " + repository + ":1.2.3", cli.ExitFailed, typo},
		{"--chart " + repository + " --version 1.2.3", cli.ExitFailed, typo},
		{"--chart " + repository + " --version 9.9.9", cli.ExitUsage, "validate-values: chart oci://HOST/charts/gitops-runtime: HOST has no such chart or version\n"},
		{
			"--chart " + repository + ":1.2.3 --version 9.9.9", cli.ExitUsage,
			"validate-values: the chart at oci://HOST/charts/gitops-runtime:1.2.3 is version 1.2.3, not 9.9.9; name the right one with --chart\n",
		},
	} {
		var out bytes.Buffer
		args := append(strings.Fields(c.args), "-f", "values.yaml", "-n", "ns", "--no-cluster", "--skip", "TOK100", "-o", "short")
		code := cli.Main(context.Background(), args, plainSystem(nil, &out))
		if got := strings.ReplaceAll(out.String(), host, "HOST"); code != c.code || got != c.want {
			t.Errorf("%s: exit %d\n%s", c.args, code, got)
		}
	}
}
