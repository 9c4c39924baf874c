package process_test

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/process"
)

// runInterrupted is the program that is interrupted: it exits when its context ends, or runs forever.
func runInterrupted(program string) {
	switch program {
	case "observes its context":
		ctx, stop := process.Interruptible(context.Background(), time.Minute, os.Exit)
		ready()
		<-ctx.Done()
		stop()
		os.Exit(7)
	case "blocks":
		_, _ = process.Interruptible(context.Background(), 200*time.Millisecond, os.Exit)
	case "blocks for long":
		_, _ = process.Interruptible(context.Background(), time.Minute, os.Exit)
	}
	ready()
	for { //nolint:staticcheck // busy, as a render is
	}
}

func ready() { _, _ = os.Stdout.WriteString("ready") }

func TestContext(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		program string
		signals []syscall.Signal
		code    int
	}{
		"a program that observes its context exits":           {"observes its context", []syscall.Signal{syscall.SIGTERM}, 7},
		"SIGINT cancels the context":                          {"observes its context", []syscall.Signal{syscall.SIGINT}, 7},
		"a blocking program ends after the grace period":      {"blocks", []syscall.Signal{syscall.SIGTERM}, 143},
		"a second signal ends a blocking program immediately": {"blocks for long", []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), os.Args[0])
			command.Env = append(os.Environ(), "INTERRUPT_TEST="+test.program)
			out, err := command.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())
			_, err = out.Read(make([]byte, 5))
			require.NoError(t, err)
			begun := time.Now()
			for i, signal := range test.signals {
				if i > 0 {
					time.Sleep(100 * time.Millisecond) // the kernel may merge signals that arrive at the same time
				}
				require.NoError(t, command.Process.Signal(signal))
			}
			_ = command.Wait()
			assert.Equal(t, test.code, command.ProcessState.ExitCode())
			assert.Less(t, time.Since(begun), 5*time.Second)
		})
	}
}
