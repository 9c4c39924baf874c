package validatecmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/standin/platformapi"
)

// The programs to compare with, and the umbrella chart.
const (
	helm        = "../../bin/helm"
	kubeconform = "../../bin/kubeconform"
	umbrella    = "../../charts/gitops-runtime"
)

// build builds the program as in the image.
func build(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "validate-values")
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, "../cmd/validate-hook")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	require.NoError(b, err, string(out))
	return program
}

// cost is the resource usage of one run of a program.
type cost struct {
	time   time.Duration
	cpu    time.Duration // of all cores; the elapsed time means little on a busy machine
	memory float64       // MB resident at most
}

// once runs a program, which must not exit with a code above worst.
func once(b *testing.B, worst int, program string, args ...string) cost {
	b.Helper()
	command := exec.Command(program, args...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	start := time.Now()
	require.NoError(b, command.Start(), program)
	stop, peak := make(chan struct{}), make(chan float64)
	go func() { peak <- resident(command.Process.Pid, stop) }()
	err := command.Wait()
	spent := cost{time: time.Since(start), cpu: command.ProcessState.UserTime() + command.ProcessState.SystemTime()}
	close(stop)
	spent.memory = <-peak
	require.False(b, err != nil && command.ProcessState.ExitCode() > worst, "%s: %v\n%.2000s", filepath.Base(program), err, out.String())
	return spent
}

// resident returns the peak resident memory of a process, in MB. It is polled because the rusage of an ended process includes this process, from
// which it was forked.
func resident(pid int, stop <-chan struct{}) float64 {
	most := 0.0
	for {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, known := bytes.Cut(text, []byte("VmHWM:")); known {
			var kilobytes float64
			if _, err := fmt.Sscan(string(after), &kilobytes); err == nil {
				most = max(most, kilobytes/1024)
			}
		}
		select {
		case <-stop:
			return most
		case <-time.After(time.Millisecond):
		}
	}
}

// summary returns the median time and the maximum memory of several runs.
func summary(runs []cost) cost {
	middle := func(less func(a, b cost) int) cost {
		slices.SortFunc(runs, less)
		return runs[len(runs)/2]
	}
	return cost{
		time:   middle(func(a, b cost) int { return int(a.time - b.time) }).time,
		cpu:    middle(func(a, b cost) int { return int(a.cpu - b.cpu) }).cpu,
		memory: slices.MaxFunc(runs, func(a, b cost) int { return int(1000 * (a.memory - b.memory)) }).memory,
	}
}

// rival is another program for the same task.
type rival struct {
	name, program string
	args          []string
}

// against measures the program and its rivals alternately, under the same conditions. It reports ms, cpu-s/op and MB of the program, and the ratios
// of the rivals to them.
func against(b *testing.B, rivals []rival, program string, args ...string) {
	b.Helper()
	var ours []cost
	others := make([][]cost, len(rivals))
	for b.Loop() {
		for range 5 {
			ours = append(ours, once(b, 0, program, args...))
		}
		for i, rival := range rivals {
			others[i] = append(others[i], once(b, 0, rival.program, rival.args...))
		}
	}
	mine := summary(ours)
	b.ReportMetric(0, "ns/op") // meaningless with the others' runs in between
	b.ReportMetric(float64(mine.time.Microseconds())/1000, "ms")
	b.ReportMetric(mine.cpu.Seconds(), testkit.CPUUnit)
	b.ReportMetric(mine.memory, "MB")
	for i, rival := range rivals {
		theirs := summary(others[i])
		b.ReportMetric(float64(theirs.time)/float64(mine.time), "x-time-"+rival.name)
		b.ReportMetric(float64(theirs.cpu)/float64(mine.cpu), "x-cpu-"+rival.name)
		b.ReportMetric(theirs.memory/mine.memory, "x-memory-"+rival.name)
	}
}

// rivalsOn returns Helm, which renders the chart with the values, and kubeconform, which validates the values against the umbrella schema.
func rivalsOn(b *testing.B, file string) []rival {
	b.Helper()
	location, document := asResource(b, file)
	return []rival{
		{"helm-template", helm, []string{"template", "x", umbrella, "-f", file, "-n", "codefresh"}},
		{"kubeconform", kubeconform, []string{"-schema-location", location, document}},
	}
}

// asResource converts values and schema for kubeconform: the values are a resource of kind Values, which the schema describes.
func asResource(b *testing.B, file string) (location, document string) {
	b.Helper()
	folder := b.TempDir()
	var rules, tree map[string]any
	read := func(name string, into *map[string]any) {
		text, err := os.ReadFile(name)
		require.NoError(b, err)
		require.NoError(b, yaml.Unmarshal(text, into))
	}
	read(filepath.Join(umbrella, "values.schema.json"), &rules)
	read(file, &tree)
	properties, _ := rules["properties"].(map[string]any)
	for _, key := range []string{"apiVersion", "kind"} {
		properties[key] = map[string]any{"type": "string"}
	}
	tree["apiVersion"], tree["kind"] = "v1", "Values"
	write := func(name string, content any) string {
		text, err := json.Marshal(content)
		require.NoError(b, err)
		path := filepath.Join(folder, name)
		require.NoError(b, os.WriteFile(path, text, 0o600))
		return path
	}
	write("values.json", rules)
	return filepath.Join(folder, "{{.ResourceKind}}.json"), write("document.yaml", tree)
}

// tunnelFile writes the values of the tunnel case, with the address of the platform, to a file.
func tunnelFile(b *testing.B, address string) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "values.yaml")
	require.NoError(b, os.WriteFile(file, []byte(strings.ReplaceAll(tunnelValues, "{platform}", address)), 0o600))
	return file
}

// The binary of the hook has the size of the program.
func BenchmarkBinarySize(b *testing.B) {
	size := func(name string) float64 {
		info, err := os.Stat(name)
		require.NoError(b, err, "run make bench, which builds it")
		return float64(info.Size())
	}
	own := size(build(b))
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(own/1e6, "MB")
	b.ReportMetric(size(helm)/own, "x-size-helm")
	b.ReportMetric(size(kubeconform)/own, "x-size-kubeconform")
}

// A successful run of all checks, with platform and API server on loopback.
func BenchmarkHappyPath(b *testing.B) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	server, err := platformapi.Start(ctx, platformapi.Options{})
	require.NoError(b, err)
	api := httptest.NewServer(&world{spec: worldSpec{Cluster: &clusterSpec{}}})
	defer api.Close()
	kubeconfig := filepath.Join(b.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: x, clusters: [{name: x, cluster: {server: %q}}], contexts: [{name: x, context: {cluster: x}}]}`, api.URL)
	require.NoError(b, os.WriteFile(kubeconfig, []byte(text), 0o600))
	none := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(none, "Chart.yaml"), []byte("name: gitops-runtime\n"), 0o600))
	file := tunnelFile(b, server.URL)
	against(b, rivalsOn(b, file), build(b), "-f", file, "-n", "codefresh", "--kubeconfig", kubeconfig, "--chart", none)
}

// Values without a cluster are validated against the schemas of the umbrella chart and its subcharts.
func BenchmarkValuesOnly(b *testing.B) {
	file := tunnelFile(b, "http://127.0.0.1:1")
	against(b, rivalsOn(b, file), build(b), "-f", file, "-n", "codefresh", "--no-cluster", "--chart", umbrella, "--skip", "TOK100")
}

// For values with a typo the schema rule has to be compiled.
func BenchmarkValuesWithATypo(b *testing.B) {
	file, program := tunnelFile(b, "http://127.0.0.1:1"), build(b)
	var runs []cost
	for b.Loop() {
		runs = append(runs, once(b, 3, program, "-f", file, "-n", "codefresh", "--no-cluster", "--chart", umbrella, "--skip", "TOK100", "--set", "argo-cd.sever.replicas=2"))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(summary(runs).time.Microseconds())/1000, "ms")
	b.ReportMetric(summary(runs).cpu.Seconds(), testkit.CPUUnit)
}

// In larger batches the time per file is constant, and memory does not exceed that of ten files.
func BenchmarkBatch(b *testing.B) {
	sizes := []int{500, 2500, 5000}
	program, folder := build(b), b.TempDir()
	files := make([]string, slices.Max(sizes))
	for i := range files {
		files[i] = filepath.Join(folder, fmt.Sprintf("%04d.yaml", i))
		text := strings.ReplaceAll(tunnelValues, "name: local", fmt.Sprintf("name: r%d", i))
		require.NoError(b, os.WriteFile(files[i], []byte(text), 0o600))
	}
	check := func(b *testing.B, count int) cost {
		b.Helper()
		return once(b, 0, program, append([]string{"-n", "codefresh", "--no-cluster", "--chart", umbrella, "--skip", "TOK100"}, files[:count]...)...)
	}
	few := check(b, 10)
	for _, size := range sizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var runs []cost
			for b.Loop() {
				runs = append(runs, check(b, size))
			}
			all := summary(runs)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(all.cpu.Seconds(), testkit.CPUUnit)
			b.ReportMetric(float64(all.cpu.Microseconds())/1000/float64(size), "ms-cpu/file")
			b.ReportMetric(all.memory, "MB")
			b.ReportMetric(all.memory/few.memory, "x-memory-of-ten-files")
		})
	}
}
