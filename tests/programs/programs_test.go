// Package programs tests what concerns both programs: the conventions of command lines, that their results agree, and the imports between the parts of
// the repository.
package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gitops-runtime/internal/gomodule"
)

// built are the programs, built once, with the version 1.2.3.
var built string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "programs")
	if err == nil {
		built, err = folder, build(folder)
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

func build(folder string) error {
	root, err := gomodule.Root()
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	command := exec.CommandContext(context.Background(), "go", "build", "-ldflags", "-s -w -X main.version=1.2.3", "-o", folder+"/",
		"./validator/cmd/validate-values", "./imageoverride/cmd/image-override")
	command.Dir, command.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return nil
}

// run runs a command line in a new folder that has a values file.
func run(t *testing.T, line string) (code int, out, errs string) {
	t.Helper()
	words := strings.Fields(line)
	command := exec.CommandContext(t.Context(), filepath.Join(built, words[0]), words[1:]...)
	command.Dir = folder(t)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	return exitCode(t, command.Run()), stdout.String(), stderr.String()
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		return exited.ExitCode()
	}
	require.NoError(t, err)
	return 0
}

func folder(t *testing.T) string {
	t.Helper()
	made := t.TempDir()
	for name, text := range map[string]string{
		"values.yaml": "global: {codefresh: {accountId: a1, userToken: {token: t}}, runtime: {name: production}}\n",
		"typo.yaml":   "global: {codefresh: {accountId: a1, userToken: {token: t}}, runtime: {naem: production}}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(made, name), []byte(text), 0o600))
	}
	return made
}

const check = "validate-values -n codefresh --no-cluster --skip ACC100 -f "

func TestConventions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		code      int
		out, errs string
	}{
		"validate-values version":     {0, "1.2.3\n", ""},
		"validate-values --version":   {0, "1.2.3\n", ""},
		"image-override version":      {0, "1.2.3\n", ""},
		"image-override --version":    {0, "1.2.3\n", ""},
		"validate-values explian":     {2, "", "validate-values: explian: no such file or command; did you mean explain?\n"},
		"validate-values --namespcae": {2, "", "validate-values: unknown flag: --namespcae; did you mean --namespace?; see validate-values --help\n"},
		"image-override genrate":      {2, "", "Error: unknown command \"genrate\"; did you mean generate?; see image-override --help\n"},
		"image-override generate --registyr x": {
			2, "", "Error: unknown flag: --registyr; did you mean --registry?; see image-override generate --help\n",
		},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			code, out, errs := run(t, line)
			assert.Equal(t, want.code, code)
			assert.Equal(t, want.out, out)
			assert.Equal(t, want.errs, errs)
		})
	}
}

// The built-in chart is used outside of a checkout: nothing is skipped, a typo is found.
func TestTheSchemaIsBuiltIn(t *testing.T) {
	t.Parallel()
	code, out, errs := run(t, check+"values.yaml")
	assert.Equal(t, 0, code, errs)
	assert.Contains(t, out, "ok       SCH100  The values fit the chart's schema")
	code, out, _ = run(t, check+"typo.yaml")
	assert.Equal(t, 3, code)
	assert.Contains(t, out, "There is no value global.runtime.naem (did you mean name?).")
}

// The schema for editors is that of the checkout, and is written to a file if one is named.
func TestTheSchemaForEditors(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	code, out, errs := run(t, "validate-values schema")
	assert.Equal(t, 0, code, errs)
	code, want, errs := run(t, "validate-values schema --chart "+filepath.Join(root, "charts", "gitops-runtime"))
	assert.Equal(t, 0, code, errs)
	assert.Contains(t, out, `"$id": "urn:helm:values:gitops-runtime"`)
	assert.Equal(t, want, out)
	file := filepath.Join(t.TempDir(), "schema.json")
	code, _, errs = run(t, "validate-values schema -o "+file+" --chart "+filepath.Join(root, "charts", "argo-events"))
	assert.Equal(t, 0, code, errs)
	made, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(made), `"$id": "urn:helm:values:argo-events"`)
	code, _, errs = run(t, "validate-values schema --version 9.9.9")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, "not 9.9.9; name the right one with --chart")
}

// The completion scripts are valid in their shell, for the shells that are installed.
func TestCompletion(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	for _, program := range []string{"validate-values", "image-override"} {
		for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
			code, script, _ := run(t, program+" completion "+shell)
			assert.Equal(t, 0, code)
			assert.Contains(t, script, program)
		}
		code, script, _ := run(t, program+" completion bash")
		assert.Equal(t, 0, code)
		ask := script + "\nPATH=" + built + ":$PATH\ncomplete -p " + program + "\n" + program + " __complete " + map[string]string{
			"validate-values": "--namesp", "image-override": "gener",
		}[program] + " 2>/dev/null\n"
		command := exec.CommandContext(t.Context(), bash, "-euc", ask)
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Contains(t, string(out), "__start_"+program)
		assert.Contains(t, string(out), map[string]string{"validate-values": "--namespace\t", "image-override": "generate\t"}[program])
	}
}

// On a terminal there are colors, unless the user turns them off or the terminal has none.
func TestColors(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]bool{"TERM=xterm": true, "NO_COLOR=1": false, "TERM=dumb": false} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(check + "values.yaml")
			command := exec.CommandContext(t.Context(), filepath.Join(built, words[0]), words[1:]...)
			command.Dir, command.Env = folder(t), append(os.Environ(), "NO_COLOR=", "TERM=xterm", env)
			assert.Equal(t, want, strings.Contains(onTerminal(t, command), "\x1b["))
		})
	}
}

// onTerminal runs a command whose output is a terminal, and returns the terminal's content.
func onTerminal(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { _ = master.Close() }()
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	command.Stdout = terminal
	got := make(chan string)
	go func() { // ends with an error once the terminal is closed
		text, _ := io.ReadAll(master)
		got <- string(text)
	}()
	require.NoError(t, command.Run())
	require.NoError(t, terminal.Close())
	select {
	case text := <-got:
		require.Contains(t, text, "SCH100")
		return text
	case <-time.After(time.Minute):
		require.FailNow(t, "the terminal is still open")
		return ""
	}
}
