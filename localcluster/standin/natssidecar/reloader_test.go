package natssidecar_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/standin/natssidecar"
)

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file+".new", []byte(content), 0o600))
	require.NoError(t, os.Rename(file+".new", file))
}

// A change of the configuration, or of a file in its folder, is signaled once; a failed signal is sent again.
func TestReloader(t *testing.T) {
	t.Parallel()
	folder, pids := t.TempDir(), t.TempDir()
	config, auth, pidFile := filepath.Join(folder, "nats.conf"), filepath.Join(folder, "auth.conf"), filepath.Join(pids, "nats.pid")
	write(t, config, "port: 4222\n")
	write(t, auth, "user: a\n")
	write(t, pidFile, "4711\n")

	signals := make(chan int, 10)
	failures := make(chan error, 1)
	failures <- errors.New("not yet")
	reloader := natssidecar.Reloader{
		PIDFile: pidFile, Files: []string{config}, Interval: time.Millisecond, Log: slog.New(slog.DiscardHandler),
		Signal: func(pid int) error {
			select {
			case err := <-failures:
				return err
			default:
				signals <- pid
				return nil
			}
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- reloader.Run(ctx) }()

	for _, change := range []struct{ file, content string }{{config, "port: 4223\n"}, {auth, "user: b\n"}} {
		// The first check may come after a write, so write until it is detected.
		require.Eventually(t, func() bool {
			change.content += "# again\n"
			write(t, change.file, change.content)
			select {
			case pid := <-signals:
				require.Equal(t, 4711, pid)
				return true
			case <-time.After(5 * time.Millisecond):
				return false
			}
		}, 10*time.Second, time.Millisecond)
	}
	cancel()
	require.NoError(t, <-ended)
}

// Run waits if the configuration or the process id is missing, or the process id is not valid.
func TestReloaderWaits(t *testing.T) {
	t.Parallel()
	folder, pids := t.TempDir(), t.TempDir()
	config, pidFile := filepath.Join(folder, "nats.conf"), filepath.Join(pids, "nats.pid")
	signalled := make(chan int, 10)
	var looks logLines = make(chan string, 1000)
	reloader := natssidecar.Reloader{
		PIDFile: pidFile, Files: []string{config}, Interval: time.Millisecond, Log: slog.New(slog.NewTextHandler(looks, nil)),
		Signal: func(pid int) error { signalled <- pid; return nil },
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	go func() { _ = reloader.Run(ctx) }()

	looks.await(ctx, t, "looking at a watched file")
	write(t, config, "one")
	changes := "two"
	for _, reason := range []string{"has not written its process id", "holds no process id"} {
		require.Eventually(t, func() bool {
			changes += "."
			write(t, config, changes)
			return looks.has(reason)
		}, 10*time.Second, time.Millisecond)
		write(t, pidFile, "none")
	}
	write(t, pidFile, "12")
	require.Equal(t, 12, <-signalled)
}

// logLines receives the lines of a log; unread lines are dropped.
type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	select {
	case l <- string(line):
	default:
	}
	return len(line), nil
}

func TestHangup(t *testing.T) {
	t.Parallel()
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGHUP)
	defer signal.Stop(received)
	require.NoError(t, natssidecar.Hangup(os.Getpid()))
	require.Equal(t, syscall.SIGHUP, <-received)
}
