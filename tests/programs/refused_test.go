package programs_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	override "gitops-runtime/imageoverride/overridecmd"
	validate "gitops-runtime/validator/validatecmd"
)

// faulty are values with errors of every kind: in a subchart, below an anchor, of another type, and through globals.
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

// image-override reports what the schema rejects with the code, the location and the fix of validate-values, line by line.
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
		var out, errs bytes.Buffer
		code := override.Run(context.Background(), append([]string{command, umbrella, "--registry", "r.io"}, given...), override.Streams{Out: &out, Err: &errs})
		require.Equal(t, override.ExitUsage, code, errs.String())
		heading, lines, _ := strings.Cut(errs.String(), "\n")
		require.Equal(t, "Error: the chart's schema rejects the values", heading)
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
