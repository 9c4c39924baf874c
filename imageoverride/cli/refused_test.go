package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/cli"
	validate "gitops-runtime/validator/cli"
)

// faulty are values with faults of every kind: in a subchart, below an anchor,
// of another type, and through globals.
const faulty = `global:
  runtime: {nam: local}
  httpProxy: 3
argo-cd:
  server: &server
    replicas: many
  repoServer:
    <<: *server
    imag: {tag: v1}
app-proxy:
  image: text
`

// What the schema refuses is told with the code, the place and the cure of
// validate-values, line by line.
func TestRefusedAsTheValidatorRefuses(t *testing.T) {
	umbrella, err := filepath.Abs("../../charts/gitops-runtime")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("values.yaml", []byte(faulty), 0o644))
	given := []string{"-f", "values.yaml", "--set", "installer.imgae.tag=v1"}

	var out bytes.Buffer
	args := append([]string{"--chart", umbrella, "--no-cluster", "-n", "ns", "-o", "short"}, given...)
	validate.Main(context.Background(), args, validate.System{Out: &out, Err: &out, Now: time.Now, Getenv: func(string) string { return "" }})
	var want []string
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.Contains(line, ": SCH") {
			want = append(want, line)
		}
	}
	require.GreaterOrEqual(t, len(want), 6, out.String())

	for _, command := range []string{"generate", "verify"} {
		got := run(t, append([]string{command, umbrella, "--registry", "r.io"}, given...)...)
		require.Equal(t, cli.ExitUsage, got.code, got.err)
		heading, lines, _ := strings.Cut(got.err, "\n")
		require.Equal(t, "Error: the chart's schema refuses the values", heading)
		var findings []string
		for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
			if !strings.HasPrefix(line, "  fix  ") {
				findings = append(findings, line)
			}
		}
		require.Equal(t, want, findings)
	}
	require.NoDirExists(t, "out")
}
