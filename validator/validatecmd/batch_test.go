package validatecmd_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/local"
	"gitops-runtime/validator/validatecmd"
)

func plainSystem(in io.Reader, out io.Writer) validatecmd.System {
	return validatecmd.System{In: in, Out: out, Err: out, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" }, Registries: &local.Registries{}}
}

func batchFiles(t *testing.T, count int) {
	t.Helper()
	t.Chdir(t.TempDir())
	for i := range count {
		text := fmt.Sprintf("global: {runtime: {name: r%d}, codefresh: {accountId: a}}\n", i)
		require.NoError(t, os.WriteFile(fmt.Sprintf("%03d.yaml", i), []byte(text), 0o600))
	}
}

// The report has the order of the files, regardless of how long each one takes.
func TestABatchIsReportedInOrder(t *testing.T) {
	batchFiles(t, 100)
	var out bytes.Buffer
	code := validatecmd.Main(context.Background(), []string{"*.yaml", "-n", "ns", "--no-cluster", "--skip", "TOK100", "-o", "text", "-o", "json=all.json"}, plainSystem(nil, &out))
	require.Equal(t, validatecmd.ExitOK, code, out.String())
	lines := strings.Split(out.String(), "\n")
	for i := range 100 {
		want := fmt.Sprintf("ok       %03d.yaml", i)
		require.Equal(t, want, lines[i])
	}
	assert.Equal(t, "validate-values 0.1.0: 100 files: 100 fine", lines[101])
}

// cutOff cancels the run after the reports of some files are written.
type cutOff struct {
	bytes.Buffer
	after  int
	cancel func()
}

func (c *cutOff) Write(text []byte) (int, error) {
	if c.after--; c.after == 0 {
		c.cancel()
	}
	return c.Buffer.Write(text)
}

// After an interruption the checked files are reported and the others are counted.
func TestAnInterruptedBatchIsReported(t *testing.T) {
	batchFiles(t, 200)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &cutOff{after: 3, cancel: cancel}
	code := validatecmd.Main(ctx, []string{"*.yaml", "-n", "ns", "--no-cluster", "--skip", "TOK100"}, plainSystem(nil, out))
	assert.Equal(t, validatecmd.ExitInconclusive, code, out.String())
	assert.True(t, strings.HasPrefix(out.String(), "ok       000.yaml\nok       001.yaml\n"), out.String())
	assert.Contains(t, out.String(), " not checked\n", out.String())
}

// A report file is written atomically.
func TestABatchThatCannotBeCheckedLeavesNoReport(t *testing.T) {
	batchFiles(t, 3)
	var out bytes.Buffer
	code := validatecmd.Main(context.Background(), []string{"*.yaml", "-f", "absent.yaml", "-n", "ns", "--no-cluster", "-o", "sarif=all.sarif"}, plainSystem(nil, &out))
	assert.Equal(t, validatecmd.ExitUsage, code, out.String())
	assert.Equal(t, "validate-values: values file absent.yaml: no such file\n", out.String(), out.String())
	left, err := filepath.Glob("*sarif*")
	hidden, _ := filepath.Glob(".*sarif*")
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Empty(t, hidden)
}

// If a report cannot be written, the run reports it and exits with 1.
func TestABatchReportThatCannotBeWrittenFails(t *testing.T) {
	batchFiles(t, 2)
	for _, output := range []string{"json=absent/all.json", "text=."} {
		var out bytes.Buffer
		code := validatecmd.Main(context.Background(), []string{"*.yaml", "-n", "ns", "--no-cluster", "-o", output}, plainSystem(nil, &out))
		assert.Equal(t, validatecmd.ExitError, code, "%s: %s", output, out.String())
		assert.Contains(t, out.String(), "cannot be written: ", "%s: %s", output, out.String())
	}
}

// A report can be written to a pipe or a device, which is written in place.
func TestReportToADevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	batchFiles(t, 1)
	var out bytes.Buffer
	code := validatecmd.Main(context.Background(), []string{"000.yaml", "-n", "ns", "--no-cluster", "--skip", "TOK100", "-o", "short", "-o", "json=" + os.DevNull}, plainSystem(nil, &out))
	info, err := os.Stat(os.DevNull)
	assert.Equal(t, validatecmd.ExitOK, code, out.String())
	require.NoError(t, err, out.String())
	assert.False(t, info.Mode().IsRegular(), out.String())
}

// An interruption ends the wait for standard input.
func TestAnInterruptionWhileReadingInput(t *testing.T) {
	batchFiles(t, 1)
	for _, args := range [][]string{{"-f", "-"}, {"-f", "-", "000.yaml"}} {
		silent, typed := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(30*time.Millisecond, cancel)
		var out bytes.Buffer
		code := validatecmd.Main(ctx, append(args, "-n", "ns", "--no-cluster"), plainSystem(silent, &out))
		assert.Equal(t, validatecmd.ExitError, code, out.String())
		assert.Contains(t, out.String(), "the wait for it was interrupted", out.String())
		cancel()
		_ = typed.Close()
	}
}

// A file without read permission is distinguished from a missing file.
func TestAFileThatMayNotBeRead(t *testing.T) {
	batchFiles(t, 1)
	require.NoError(t, os.Chmod("000.yaml", 0))
	if _, err := os.ReadFile("000.yaml"); err == nil {
		return // root reads everything
	}
	var out bytes.Buffer
	code := validatecmd.Main(context.Background(), []string{"-f", "000.yaml", "-n", "ns"}, plainSystem(nil, &out))
	assert.Equal(t, validatecmd.ExitUsage, code, out.String())
	assert.Equal(t, "validate-values: values file 000.yaml: its permissions do not let you read it\n", out.String(), out.String())
}
