package process_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/process"
)

// TestMain also runs the program that uses too much memory, on the heap or on the stack, or too much CPU time, and the one that is interrupted.
func TestMain(m *testing.M) {
	if program := os.Getenv("INTERRUPT_TEST"); program != "" {
		runInterrupted(program)
	}
	task := map[string]func(){
		"heap":     hoard,
		"stack":    func() { dig(0) },
		"busy":     func() { work(10 * time.Second) },
		"extended": func() { work(400 * time.Millisecond) },
		"less":     func() { _ = make([]byte, 8<<20) },
	}[os.Getenv("MEMLIMIT_TEST")]
	if task == nil {
		os.Exit(m.Run())
	}
	extend := process.Watch(process.Limits{Soft: 64 << 20, Memory: 80 << 20, CPU: 200 * time.Millisecond}, func(what string) {
		os.Exit(map[string]int{"80 MiB of memory": 9, "20 MiB of stack": 8, "200ms of CPU time": 10}[what])
	})
	if os.Getenv("MEMLIMIT_TEST") != "busy" {
		extend(time.Minute)
	}
	task()
	os.Exit(7)
}

func work(most time.Duration) {
	for process.CPUTime() < most { //nolint:revive // busy
	}
}

func hoard() {
	var all [][]byte
	for range 4096 {
		all = append(all, make([]byte, 1<<20))
	}
	time.Sleep(10 * time.Second) // until the limit ends the program
	runtime.KeepAlive(all)
}

func dig(depth int) int {
	var room [64]int
	if depth < 0 {
		return 0
	}
	room[depth%64] = depth
	return dig(depth+1) + room[(depth+1)%64]
}

func TestWatch(t *testing.T) {
	t.Parallel()
	for task, code := range map[string]int{"heap": 9, "stack": 8, "busy": 10, "extended": 7, "less": 7} {
		command := exec.CommandContext(t.Context(), os.Args[0])
		command.Env = append(os.Environ(), "MEMLIMIT_TEST="+task, "GOMEMLIMIT=off")
		_ = command.Run()
		assert.Equal(t, code, command.ProcessState.ExitCode(), task)
	}
}
