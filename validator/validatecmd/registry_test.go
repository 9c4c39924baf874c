package validatecmd_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/registry/registrytest"
	"gitops-runtime/validator/validatecmd"
)

// packed returns a small chart as `helm package` creates it.
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
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: file, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}))
		_, err := io.WriteString(archive, text)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	return data.Bytes()
}

// A chart from a registry with a private CA produces the same findings as the packaged file.
func TestAChartFromARegistry(t *testing.T) {
	t.Setenv("HELM_CONFIG_HOME", t.TempDir())
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	server, archive := registrytest.StartTLS(t), packed(t)
	host := server.Name
	registrytest.Push(t, host+"/charts/gitops-runtime:1.2.3", registrytest.Chart(t, archive, registrytest.ChartLayer), server.Trusting(t))
	t.Chdir(t.TempDir())
	for file, text := range map[string][]byte{"chart.tgz": archive, "values.yaml": []byte("globl: {}\nglobal:\n  runtime: {name: x}\n")} {
		require.NoError(t, os.WriteFile(filepath.Clean(file), text, 0o600))
	}
	const typo = "values.yaml:1:1: fail: SCH101 There is no value globl (did you mean global?).\n"
	repository := "oci://" + host + "/charts/gitops-runtime"
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--chart chart.tgz", validatecmd.ExitFailed, typo},
		{"--chart " + repository, validatecmd.ExitFailed, typo},
		{"--chart " + repository + ":1.2.3", validatecmd.ExitFailed, typo},
		{"--chart " + repository + " --version 1.2.3", validatecmd.ExitFailed, typo},
		{
			"--chart " + repository + " --version 9.9.9", validatecmd.ExitUsage,
			"validate-values: pull chart HOST/charts/gitops-runtime:9.9.9 failed: HOST answers 404 (unknown manifest); check the name and the tag\n",
		},
		{
			"--chart " + repository + " --ca-file absent", validatecmd.ExitUsage, "validate-values: --ca-file absent: no such file\n",
		},
		{
			"--chart " + repository + " --reach x", validatecmd.ExitUsage, "validate-values: --reach \"x\": write host=host\n",
		},
		{
			"--chart oci://registry.corp/charts/gitops-runtime --reach registry.corp=" + host, validatecmd.ExitFailed, typo,
		},
		{
			"--chart " + repository + ":1.2.3 --version 9.9.9", validatecmd.ExitUsage,
			"validate-values: the chart at oci://HOST/charts/gitops-runtime:1.2.3 is version 1.2.3, not 9.9.9; name the right one with --chart\n",
		},
	} {
		var out bytes.Buffer
		args := append([]string{"--ca-file", server.CAFile}, strings.Fields(c.args)...)
		args = append(args, "-f", "values.yaml", "-n", "ns", "--no-cluster", "--skip", "TOK100", "-o", "short")
		code := validatecmd.Main(context.Background(), args, plainSystem(nil, &out))
		got := strings.ReplaceAll(out.String(), host, "HOST")
		assert.Equal(t, c.code, code, "%s: %s", c.args, got)
		assert.Equal(t, c.want, got, "%s: %s", c.args, got)
	}
}
