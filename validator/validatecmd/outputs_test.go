package validatecmd_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/validatecmd"
)

// A run writes one report to standard output and others to files.
func TestSeveralReports(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, failures bytes.Buffer
	system := validatecmd.System{
		In: strings.NewReader("global: {runtime: {name: Local}}\n"), Out: &out, Err: &failures, Color: true,
		Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" },
	}
	code := validatecmd.Main(context.Background(), []string{
		"-f", "-", "-n", "ns", "--no-cluster", "-o", "short", "-o", "text=report.txt", "-o", "sarif=report.sarif", "-o", "junit=report.xml",
	}, system)
	require.Equal(t, validatecmd.ExitFailed, code, "%s%s", out.String(), failures.String())
	require.Zero(t, failures.Len(), "%s%s", out.String(), failures.String())
	require.True(t, strings.HasPrefix(out.String(), "-:1:20: fail: RUN102 "), "%s%s", out.String(), failures.String())
	for file, start := range map[string]string{
		"report.txt": "validate-values 0.1.0: runtime Local", "report.sarif": "{\n  \"$schema\"", "report.xml": "<?xml",
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err, "%s: %.200s", file, text)
		assert.True(t, strings.HasPrefix(string(text), start), "%s: %.200s", file, text)
		assert.NotContains(t, string(text), "\x1b[", "%s: %.200s", file, text)
	}
}

func TestAReportThatCannotBeWrittenFails(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, failures bytes.Buffer
	code := validatecmd.Main(context.Background(), []string{"-n", "ns", "--no-cluster", "-o", "json=absent/report.json"}, validatecmd.System{
		Out: &out, Err: &failures, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" },
	})
	assert.Equal(t, validatecmd.ExitError, code)
	assert.Equal(t, "validate-values: report: absent/report.json cannot be written: no such file or directory\n", failures.String())
}

// Other commands fail if their output cannot be written completely.
func TestACommandFailsIfItsOutputCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"explain"}, {"explain", "RUN101"}, {"version"}, {"checks-page"}} {
		var failures bytes.Buffer
		code := validatecmd.Main(context.Background(), args, validatecmd.System{Out: fullDisk{}, Err: &failures, Version: "0.1.0", Getenv: func(string) string { return "" }})
		assert.Equal(t, validatecmd.ExitError, code, "%v", args)
		assert.Equal(t, "validate-values: the answer cannot be written: the disk is full\n", failures.String(), "%v", args)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }
