package validatecmd_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/local"
	"gitops-runtime/validator/validatecmd"
)

// Typical first commands: the version, a shell completion, a misspelled command.
func TestGettingStarted(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"version":                   {validatecmd.ExitOK, "0.1.0\n"},
		"--version":                 {validatecmd.ExitOK, "0.1.0\n"},
		"-n a --version":            {validatecmd.ExitUsage, "validate-values: --version names the version of the chart, as in helm; `validate-values version` prints the program's\n"},
		"--namespcae a":             {validatecmd.ExitUsage, "validate-values: unknown flag: --namespcae; did you mean --namespace?; see validate-values --help\n"},
		"explian":                   {validatecmd.ExitUsage, "validate-values: explian: no such file or command; did you mean explain?\n"},
		"explian ACC301":            {validatecmd.ExitUsage, "validate-values: explian: no such file or command; did you mean explain?\n"},
		"completion bash":           {validatecmd.ExitOK, "bash completion"},
		"__complete -o ":            {validatecmd.ExitOK, "short\njson\n"},
		"__complete explain RUN10":  {validatecmd.ExitOK, "RUN103\t"},
		"__complete --skip=ACC105 ": {validatecmd.ExitOK, ":"},
	} {
		t.Run(line, func(t *testing.T) {
			var out bytes.Buffer
			code := validatecmd.Main(t.Context(), strings.Split(line, " "), validatecmd.System{In: strings.NewReader(""), Out: &out, Err: &out, Version: "0.1.0"})
			assert.Equal(t, want.code, code)
			assert.Contains(t, out.String(), want.text)
		})
	}
}

// The platform documents `cf helm validate --values FILE --namespace NS --version VERSION`. The program accepts these flags; for a version other
// than that of the available chart, the error names the flag to use instead.
func TestTheCommandOfTheDocumentation(t *testing.T) {
	t.Chdir(t.TempDir())
	values := "global: {codefresh: {accountId: a1, userToken: {token: t}}, runtime: {name: production}}\n"
	require.NoError(t, os.WriteFile("values.yaml", []byte(values), 0o600))
	for version, want := range map[string]struct {
		code int
		text string
	}{
		"":       {validatecmd.ExitOK, "SCH100  The values fit the chart's schema"},
		"0.30.0": {validatecmd.ExitUsage, "validate-values: the chart built into this program is version "},
	} {
		var out bytes.Buffer
		args := []string{"--values", "values.yaml", "--namespace", "codefresh", "--no-cluster", "--skip", "ACC100"}
		if version != "" {
			args = append(args, "--version", version)
		}
		code := validatecmd.Main(t.Context(), args, validatecmd.System{
			In: strings.NewReader(""), Out: &out, Err: &out, Version: "0.1.0", Now: time.Now,
			Getenv: func(string) string { return "" }, Registries: &local.Registries{}, BuiltIn: local.BuiltIn,
		})
		assert.Contains(t, out.String(), want.text)
		assert.Equal(t, want.code, code, out.String())
	}
}
