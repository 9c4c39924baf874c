package validatecmd_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/validatecmd"
)

// The whole program ends within its time, with an exit code of its own and clean output, whatever is in its files and its flags.
func FuzzProgram(f *testing.F) {
	f.Add("global: {runtime: {name: local}}\n", "name: gitops-runtime\nversion: 1.0.0\n", `{"properties": {"global": {}}}`, "a=1", "short")
	f.Add("a: &a \"xxxx\"\nb: [*a, *a]\n", "name: a\nversion: 1.0.0\n---\n", `{"$ref": "#"}`, "a[9]={", "json")
	f.Add("? {a: b}\n: c\n", "{", `{"pattern": "(a+)+$"}`, "a=\x1b[31m\n::error::x", "github")
	f.Fuzz(func(t *testing.T, values, chart, schema, set, format string) {
		folder := t.TempDir()
		for name, text := range map[string]string{"values.yaml": values, "chart/Chart.yaml": chart, "chart/values.schema.json": schema} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
		if strings.ContainsAny(format, "=/") {
			return // a file outside the folder
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var out bytes.Buffer
		code := validatecmd.Main(ctx, []string{
			"-f", filepath.Join(folder, "values.yaml"), "--set", set, "--chart", filepath.Join(folder, "chart"), "-o", format, "-n", "ns", "--no-cluster", "--skip", "ACC100",
		}, plainSystem(strings.NewReader(values), &out))
		require.NoError(t, ctx.Err(), "no end")
		assert.True(t, code >= 0 && code <= 5, "exit code %d", code)
		assert.NotContains(t, out.String(), "\x1b", "an escape character")
		assert.NotContains(t, out.String(), "a bug")
	})
}
