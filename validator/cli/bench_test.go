package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gitops-runtime/tests/standin/platform"
)

// build makes the program as the image has it.
func build(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "validate-values")
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, "../cmd/validate-values")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return program
}

// measure runs a program again and again and reports the time and the largest
// resident memory of a run.
func measure(b *testing.B, program string, args ...string) time.Duration {
	b.Helper()
	var memory int64
	start := time.Now()
	for b.Loop() {
		command := exec.Command(program, args...)
		var out bytes.Buffer
		command.Stdout, command.Stderr = &out, &out
		if err := command.Run(); err != nil && command.ProcessState.ExitCode() > 5 {
			b.Fatalf("%v\n%s", err, out.String())
		}
		if usage, known := command.ProcessState.SysUsage().(*syscall.Rusage); known {
			memory = max(memory, usage.Maxrss)
		}
	}
	each := time.Since(start) / time.Duration(b.N)
	b.ReportMetric(float64(memory)/1024, "MB-resident")
	b.ReportMetric(float64(each.Microseconds())/1000, "ms/run")
	return each
}

// tunnelFile puts the tunnel case into a file, for a platform at an address.
func tunnelFile(b *testing.B, address string) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(tunnelValues, "{platform}", address)), 0o644); err != nil {
		b.Fatal(err)
	}
	return file
}

func BenchmarkBinarySize(b *testing.B) {
	info, err := os.Stat(build(b))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}

// The happy path on loopback: values, platform, account, name.
func BenchmarkHappyPath(b *testing.B) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	server, err := platform.Start(ctx, platform.Options{})
	if err != nil {
		b.Fatal(err)
	}
	empty := b.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "Chart.yaml"), []byte("name: gitops-runtime\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	measure(b, build(b), "-f", tunnelFile(b, server.URL), "-n", "codefresh", "--no-cluster", "--skip", "SCH100", "--chart", empty)
}

// Values alone, against the umbrella chart and its schemas; beside it Helm
// doing the same, as a ratio.
func BenchmarkValuesOnly(b *testing.B) {
	file, chart := tunnelFile(b, "http://127.0.0.1:1"), "../../charts/gitops-runtime"
	own := measure(b, build(b), "-f", file, "-n", "codefresh", "--no-cluster", "--chart", chart, "--skip", "TOK100")
	helm := "../../bin/helm"
	if _, err := os.Stat(helm); err != nil {
		return
	}
	start := time.Now()
	if out, err := exec.Command(helm, "template", "x", chart, "-f", file, "-n", "codefresh").CombinedOutput(); err != nil {
		b.Logf("helm template: %v\n%.300s", err, out)
		return
	}
	b.ReportMetric(float64(time.Since(start))/float64(own), "helm-template/own")
}
