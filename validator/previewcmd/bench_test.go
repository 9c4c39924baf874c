package previewcmd_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/local"
	"gitops-runtime/validator/previewcmd"
	"gitops-runtime/validator/validatecmd"
)

// BenchmarkUmbrella compares two sets of values of the umbrella chart.
func BenchmarkUmbrella(b *testing.B) {
	folder := b.TempDir()
	before, after := filepath.Join(folder, "before.yaml"), filepath.Join(folder, "after.yaml")
	const values = "global:\n  codefresh: {accountId: a, userToken: {token: t}}\n  runtime: {name: prod}\n"
	require.NoError(b, os.WriteFile(before, []byte(values), 0o600))
	require.NoError(b, os.WriteFile(after, []byte(values+"argo-cd: {server: {replicas: 2}}\napp-proxy: {env: {SOME: value}}\n"), 0o600))
	const chart = "../../charts/gitops-runtime"
	for b.Loop() {
		code := validatecmd.Main(b.Context(), []string{"preview", "--before", chart, "--before-values", before, "--chart", chart, "-f", after, "-n", "codefresh", "--no-cluster"}, validatecmd.System{
			In: strings.NewReader(""), Out: io.Discard, Err: os.Stderr, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" },
			Registries: &local.Registries{}, Preview: previewcmd.Command,
		})
		require.Equal(b, 0, code)
	}
}
