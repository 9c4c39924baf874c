package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// Grace is the maximum time that a program continues after the first signal.
const Grace = 900 * time.Millisecond

// Interruptible returns a context that the first SIGINT or SIGTERM cancels, so that running work can finish. The program then has the grace period; at its end, or at a second signal, exit
// is called with 128 plus the number of the signal, as in shells. A program passes os.Exit; stop stops watching for signals.
func Interruptible(parent context.Context, grace time.Duration, exit func(code int)) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case first := <-signals:
			cancel(ended{first})
			last := first
			select {
			case last = <-signals:
			case <-time.After(grace):
			case <-done:
				return
			}
			exit(ExitCode(last))
		case <-done:
		}
	}()
	var once sync.Once
	return ctx, func() {
		once.Do(func() {
			signal.Stop(signals)
			close(done)
			cancel(nil)
		})
	}
}

// ended is the cause of a context that this package canceled.
type ended struct{ by os.Signal }

func (e ended) Error() string { return "ended by " + e.by.String() }

// EndedBy returns the signal that canceled a context; false if there was none.
func EndedBy(ctx context.Context) (os.Signal, bool) {
	var cause ended
	if !errors.As(context.Cause(ctx), &cause) {
		return nil, false
	}
	return cause.by, true
}

// ExitCode returns the exit code of a program that a signal ended.
func ExitCode(by os.Signal) int {
	if number, ok := by.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
