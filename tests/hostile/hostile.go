// Package hostile runs the two programs on malicious inputs, and checks the same guarantees for every run: a message and an exit code, bounded
// memory and time, and nothing unescaped or secret in the output.
package hostile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Limits of a run on a malicious input.
const (
	MaxMemory = 300 << 20
	MaxTime   = 5 * time.Second
)

// Canary is the prefix of every secret in the inputs; no output may contain it.
const Canary = "canary"

// Build builds a program as it is in its image.
func Build(t *testing.T, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, source)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// Ending is the result of a run.
type Ending struct {
	Code   int
	Text   string
	Memory int64         // the maximum, in bytes
	Took   time.Duration // CPU time
}

// Run runs a program in a folder as a separate process, and measures it.
func Run(t *testing.T, program, folder string, args ...string) Ending {
	t.Helper()
	return RunWith(t, nil, program, folder, args...)
}

// RunWith is Run with environment variables, as NAME=value.
func RunWith(t *testing.T, env []string, program, folder string, args ...string) Ending {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = folder
	// One processor: its time is then bounded by the run's own deadline, however many the machine has.
	command.Env = append([]string{"HOME=" + folder, "PATH=/nowhere", "GOMAXPROCS=1"}, env...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	require.NoError(t, command.Start())
	memory := watch(command.Process.Pid)
	_ = command.Wait()
	return Ending{
		Code: command.ProcessState.ExitCode(), Text: out.String(), Memory: memory(),
		Took: command.ProcessState.UserTime() + command.ProcessState.SystemTime(),
	}
}

// Interrupt runs a program and sends it signals while it is busy; Took is the elapsed time since the first one. On a busy machine the signal may
// kill the program before it handles signals; then the program runs again with more time.
func Interrupt(t *testing.T, program, folder string, args []string, signals ...syscall.Signal) Ending {
	t.Helper()
	wait := 300 * time.Millisecond
	for {
		end := interrupt(t, program, folder, args, wait, signals...)
		if wait *= 3; end.Code >= 0 || wait > 30*time.Second {
			return end
		}
	}
}

// interrupt runs the program once, and sends the first signal after wait or later.
func interrupt(t *testing.T, program, folder string, args []string, wait time.Duration, signals ...syscall.Signal) Ending {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = folder
	command.Env = []string{"HOME=" + folder, "PATH=/nowhere"}
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	require.NoError(t, command.Start())
	time.Sleep(wait)
	started(command.Process.Pid)
	begun := time.Now()
	for i, signal := range signals {
		if i > 0 {
			time.Sleep(50 * time.Millisecond) // simultaneous signals may be merged
		}
		require.NoError(t, command.Process.Signal(signal))
	}
	_ = command.Wait()
	return Ending{Code: command.ProcessState.ExitCode(), Text: out.String(), Took: time.Since(begun)}
}

// started waits until a process is busy: it sleeps, or it has used enough CPU time.
func started(pid int) {
	for asleep, tries := 0, 0; asleep < 3 && tries < 40; tries++ {
		var state string
		var user, system int
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 12 {
			state = fields[0]
			_, _ = fmt.Sscan(fields[11], &user)
			_, _ = fmt.Sscan(fields[12], &system)
		}
		if state == "S" || user+system > 30 { // hundredths of a second
			asleep++
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// watch records the maximum memory of a process. The kernel's value at its end includes the memory of the test that started it.
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

// Decent checks the guarantees of every run, whatever its arguments.
func Decent(t *testing.T, end Ending) {
	t.Helper()
	assert.Contains(t, []int{0, 1, 2, 3, 5}, end.Code, "the exit code, with: %s", Clip(end.Text))
	assert.NotEmpty(t, end.Text)
	assert.LessOrEqual(t, end.Memory, int64(MaxMemory), "bytes of memory")
	assert.LessOrEqual(t, end.Took, MaxTime, "CPU time")
	for line := range strings.Lines(end.Text) {
		line = strings.TrimSuffix(line, "\n")
		assert.False(t, strings.HasPrefix(strings.TrimSpace(line), "::"), "a pipeline interprets this line as a command: %s", Clip(line))
		raw := strings.IndexFunc(line, func(letter rune) bool {
			return letter != '\t' && unicode.IsControl(letter) || unicode.In(letter, unicode.Bidi_Control)
		})
		assert.Negative(t, raw, "a control character in: %q", Clip(line))
	}
	for _, never := range []string{"goroutine ", "panic:", "fatal error", Canary, "a bug", "##[", "##vso["} {
		assert.NotContains(t, end.Text, never)
	}
}

// Clip returns the beginning of a text.
func Clip(text string) string { return text[:min(len(text), 600)] }

// page lists the inputs by program and kind.
const page = "README.md"

// Listed compares the page's table with the number of inputs of each kind. The memory and time in it are from one machine, and are not compared.
func Listed(t *testing.T, program string, counts map[string]int) {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "gitops-runtime/tests/hostile").Output()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), page))
	require.NoError(t, err)
	var listed, want []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) > 3 && cells[0] == "| "+program {
			listed = append(listed, cells[1]+": "+cells[2])
		}
	}
	for kind, count := range counts {
		want = append(want, fmt.Sprintf("%s: %d", kind, count))
	}
	slices.Sort(listed)
	slices.Sort(want)
	assert.Equal(t, want, listed, "tests/hostile/%s lists other inputs of %s", page, program)
}

// Worst contains the maximum that the runs of each kind used, and their number.
type Worst map[string]Ending

// Add adds a run.
func (w Worst) Add(kind string, end Ending) {
	before := w[kind]
	w[kind] = Ending{Code: before.Code + 1, Memory: max(before.Memory, end.Memory), Took: max(before.Took, end.Took)}
}

// Log writes the rows of the page's table.
func (w Worst) Log(t *testing.T, program string) {
	t.Helper()
	for kind, end := range w {
		t.Logf("| %s | %s | %d | %d MiB | %.1f s |", program, kind, end.Code, end.Memory>>20, end.Took.Seconds())
	}
}
