package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/validator/cli"
)

// What people type to find their way: the version, a completion, a word that is nearly right.
func TestWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"version":                   {cli.ExitOK, "0.1.0\n"},
		"--version":                 {cli.ExitUsage, "validate-values: --version names the version of the chart, as in helm; `validate-values version` prints the program's\n"},
		"explian":                   {cli.ExitUsage, "validate-values: explian: there is no such file, and no such command; did you mean explain?\n"},
		"completion bash":           {cli.ExitOK, "bash completion"},
		"__complete -o ":            {cli.ExitOK, "short\njson\n"},
		"__complete explain RUN10":  {cli.ExitOK, "RUN103\t"},
		"__complete --skip=ACC105 ": {cli.ExitOK, ":"},
	} {
		t.Run(line, func(t *testing.T) {
			var out bytes.Buffer
			code := cli.Main(t.Context(), strings.Split(line, " "), cli.System{In: strings.NewReader(""), Out: &out, Err: &out, Version: "0.1.0"})
			assert.Equal(t, want.code, code)
			assert.Contains(t, out.String(), want.text)
		})
	}
}
