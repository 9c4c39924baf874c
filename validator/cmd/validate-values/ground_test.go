package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a run on a hostile input may take.
const (
	memoryLimit = 300 << 20
	timeLimit   = 5 * time.Second
)

// ground is where a hostile input is laid out: a folder, and servers.
type ground struct {
	*testing.T
	folder string
}

// write puts a text into a file below the folder, and gives its path.
func (g *ground) write(name, text string) string {
	g.Helper()
	path := filepath.Join(g.folder, name)
	require.NoError(g, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(g, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// values are arguments for values that are fine but for what is written below them.
func (g *ground) values(text string) []string {
	g.Helper()
	return []string{"-f", g.write("values.yaml", text)}
}

// chart are arguments for a chart that is a folder of these files.
func (g *ground) chart(files ...string) []string {
	g.Helper()
	for i := 0; i < len(files); i += 2 {
		g.write(filepath.Join("chart", files[i]), files[i+1])
	}
	if len(files) == 0 || files[0] != "Chart.yaml" {
		g.write("chart/Chart.yaml", "name: gitops-runtime\nversion: 1.0.0\n")
	}
	return append(g.values("global: {runtime: {name: local}}\n"), "--chart", filepath.Join(g.folder, "chart"))
}

// packed are arguments for a chart that is this archive.
func (g *ground) packed(archive []byte) []string {
	g.Helper()
	return append(g.values("global: {runtime: {name: local}}\n"), "--chart", g.write("chart.tgz", string(archive)))
}

// serve starts a server and gives its address.
func (g *ground) serve(handler http.HandlerFunc) string {
	g.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = nil
	server.Start()
	g.Cleanup(server.Close)
	g.Cleanup(server.CloseClientConnections)
	return server.URL
}

// asks are arguments for values that name this platform.
func (g *ground) asks(address string) []string {
	g.Helper()
	return g.values(fmt.Sprintf("global:\n  codefresh: {url: %q, allowInsecureHTTP: true, accountId: acc1, userToken: {token: canary-token}}\n"+
		"  runtime: {name: local, gitCredentials: {password: {value: canary-password}}}\n", address))
}

// platform are arguments for values whose platform replies with this text to everything.
func (g *ground) platform(reply string) []string {
	g.Helper()
	return g.asks(g.serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(reply)) }))
}

// git are arguments for values whose account has a provider that this handler stands for.
func (g *ground) git(provider string, handler http.HandlerFunc) []string {
	g.Helper()
	return g.platform(fmt.Sprintf(`{"data":{"me":{"id":"u","name":"n","activeAccount":{"id":"acc1","name":"a","admins":["u"],"gitProvider":%q,"gitApiUrl":%q}}}}`,
		provider, g.serve(handler)))
}

// entry is a file of an archive.
type entry struct {
	name string
	data []byte
	kind byte
	link string
}

// archive packs entries as `helm package` does.
func (g *ground) archive(entries ...entry) []byte {
	g.Helper()
	var data bytes.Buffer
	zipped := gzip.NewWriter(&data)
	packed := tar.NewWriter(zipped)
	for _, one := range entries {
		header := &tar.Header{Name: one.name, Mode: 0o644, Size: int64(len(one.data)), Typeflag: tar.TypeReg}
		if one.kind != 0 {
			header.Typeflag, header.Linkname, header.Size = one.kind, one.link, 0
		}
		require.NoError(g, packed.WriteHeader(header))
		_, err := packed.Write(one.data)
		require.NoError(g, err)
	}
	require.NoError(g, packed.Close())
	require.NoError(g, zipped.Close())
	return data.Bytes()
}

// endless writes for as long as somebody reads.
func endless(begin, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, err := w.Write([]byte(begin))
		for block := []byte(strings.Repeat(again, 1<<16/len(again)+1)); err == nil && r.Context().Err() == nil; {
			_, err = w.Write(block)
		}
	}
}

// ending is how a run went.
type ending struct {
	code   int
	text   string
	memory int64
	took   time.Duration
}

// play runs the program as a process of its own and measures it.
func (g *ground) play(program string, args []string) ending {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = g.folder
	// One processor: its time is then bounded by the run's own deadline, however many the machine has.
	command.Env = []string{"HOME=" + g.folder, "PATH=/nowhere", "GOMAXPROCS=1"}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	require.NoError(g, command.Start())
	memory := watch(command.Process.Pid)
	_ = command.Wait()
	return ending{
		code: command.ProcessState.ExitCode(), text: out.String(), memory: memory(),
		took: command.ProcessState.UserTime() + command.ProcessState.SystemTime(),
	}
}

// interrupt runs the program and sends it signals while it is busy; took is the time from the first one on.
func (g *ground) interrupt(program string, args []string, signals ...syscall.Signal) ending {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, append(args, "-n", "codefresh", "--no-cluster")...)
	command.Dir = g.folder
	command.Env = []string{"HOME=" + g.folder, "PATH=/nowhere"}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	require.NoError(g, command.Start())
	time.Sleep(300 * time.Millisecond)
	begun := time.Now()
	for i, signal := range signals {
		if i > 0 {
			time.Sleep(50 * time.Millisecond) // both at one moment may become one
		}
		require.NoError(g, command.Process.Signal(signal))
	}
	_ = command.Wait()
	return ending{code: command.ProcessState.ExitCode(), text: out.String(), took: time.Since(begun)}
}

// watch follows the most memory that a process has had. What the kernel reports
// at its end counts the memory of the test as well, out of which it was started.
func watch(pid int) (most func() int64) {
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		var peak int64
		for {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if _, rest, found := strings.Cut(string(text), "VmHWM:"); err == nil && found {
				var kilobytes int64
				if _, err := fmt.Sscan(rest, &kilobytes); err == nil {
					peak = max(peak, kilobytes<<10)
				}
			}
			select {
			case <-done:
				result <- peak
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(done); return <-result }
}

// decent holds a run to what every run promises, however it was asked.
func (g *ground) decent(end ending) {
	g.Helper()
	assert.Contains(g, []int{0, 1, 2, 3, 5}, end.code, "the exit code, with: %s", clip(end.text))
	assert.NotEmpty(g, end.text)
	assert.LessOrEqual(g, end.memory, int64(memoryLimit), "bytes of memory")
	assert.LessOrEqual(g, end.took, timeLimit, "time of the processor")
	for _, line := range strings.Split(end.text, "\n") {
		assert.False(g, strings.HasPrefix(strings.TrimSpace(line), "::"), "a pipeline takes this line for a command: %s", clip(line))
		raw := strings.IndexFunc(line, func(letter rune) bool {
			return letter != '\t' && unicode.IsControl(letter) || unicode.In(letter, unicode.Bidi_Control)
		})
		assert.Negative(g, raw, "a control character in: %q", clip(line))
	}
	for _, never := range []string{"goroutine ", "panic:", "fatal error", "canary", "a bug"} {
		assert.NotContains(g, end.text, never)
	}
}

// clip is the beginning of a text.
func clip(text string) string { return text[:min(len(text), 600)] }
