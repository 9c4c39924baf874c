package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"gitops-runtime/validator/cli"
)

// Several reports of one run: one on the screen, the others in files.
func TestSeveralReports(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, failures bytes.Buffer
	system := cli.System{
		In: strings.NewReader("global: {runtime: {name: Local}}\n"), Out: &out, Err: &failures, Colour: true,
		Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" },
	}
	code := cli.Main(context.Background(), []string{
		"-f", "-", "-n", "ns", "--no-cluster", "-o", "short", "-o", "text=report.txt", "-o", "sarif=report.sarif", "-o", "junit=report.xml",
	}, system)
	if code != cli.ExitFailed || failures.Len() > 0 || !strings.HasPrefix(out.String(), "-:1:20: fail: RUN102 ") {
		t.Fatalf("exit %d\n%s%s", code, out.String(), failures.String())
	}
	for file, start := range map[string]string{
		"report.txt": "validate-values 0.1.0: runtime Local", "report.sarif": "{\n  \"$schema\"", "report.xml": "<?xml",
	} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(text), start) || strings.Contains(string(text), "\x1b[") {
			t.Errorf("%s: %v\n%.200s", file, err, text)
		}
	}
}

func TestAReportThatCannotBeWrittenFails(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, failures bytes.Buffer
	code := cli.Main(context.Background(), []string{"-n", "ns", "--no-cluster", "-o", "json=absent/report.json"}, cli.System{
		Out: &out, Err: &failures, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" },
	})
	if want := "validate-values: report: absent/report.json cannot be written: no such file or directory\n"; code != cli.ExitError || failures.String() != want {
		t.Errorf("exit %d: %s", code, failures.String())
	}
}

// What the other commands say is said whole, or the run fails.
func TestAnAnswerThatCannotBeWrittenFails(t *testing.T) {
	for _, args := range [][]string{{"explain"}, {"explain", "RUN101"}, {"version"}, {"checks-page"}} {
		var failures bytes.Buffer
		code := cli.Main(context.Background(), args, cli.System{Out: fullDisk{}, Err: &failures, Version: "0.1.0", Getenv: func(string) string { return "" }})
		if want := "validate-values: the answer cannot be written: the disk is full\n"; code != cli.ExitError || failures.String() != want {
			t.Errorf("%v: exit %d: %s", args, code, failures.String())
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }
