package registry

import (
	"context"
	"sync"
	"time"
)

// Turns limits the operations that run at the same time. One that waits for a registry gives its turn to another, so that a host that asks for a pause
// does not stop the work on others.
type Turns chan struct{}

// Take waits for a turn. The operation passes the context on to its requests, and calls done at its end.
func (t Turns) Take(ctx context.Context) (taken context.Context, done func()) {
	t <- struct{}{}
	return context.WithValue(ctx, turnKey{}, &turn{of: t}), func() { <-t }
}

type turnKey struct{}

// turn is that of one operation, parts of which may be waiting.
type turn struct {
	of      Turns
	mu      sync.Mutex
	waiting int
}

// Idle waits for something without the turn of the operation.
func Idle(ctx context.Context, wait func()) {
	if held, ok := ctx.Value(turnKey{}).(*turn); ok {
		held.count(1)
		defer held.count(-1)
	}
	wait()
}

// sleep waits without the turn of the operation, until the context ends at most.
func sleep(ctx context.Context, most time.Duration) error {
	if most > 0 {
		Idle(ctx, func() {
			select {
			case <-ctx.Done():
			case <-time.After(most):
			}
		})
	}
	return ctx.Err()
}

// count adds to the waiting parts: the first gives the turn away, and the last takes it back.
func (t *turn) count(more int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == 0 {
		<-t.of
	}
	if t.waiting += more; t.waiting == 0 {
		t.of <- struct{}{}
	}
}
