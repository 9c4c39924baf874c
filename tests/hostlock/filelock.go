// Package hostlock serializes processes of this machine with a lock on a file. The kernel releases the lock of a process that ends for any reason.
package hostlock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// poll is how often a waiting process tries again.
const poll = 200 * time.Millisecond

// Lock is a lock file and what is reported of it.
type Lock struct {
	// Path is the file; its folder is created.
	Path string
	// Busy describes what the holder does, for the error of a process that has waited too long.
	Busy string
	// Waiting is called once if another process holds the lock; may be nil.
	Waiting func()
}

// Acquire waits until no other process holds the lock, and holds it until the returned function is called or this process
// ends.
func (l Lock) Acquire(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o755); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	file := flock.New(l.Path)
	locked, err := file.TryLock()
	if err == nil && !locked {
		if l.Waiting != nil {
			l.Waiting()
		}
		locked, err = file.TryLockContext(ctx, poll)
	}
	switch {
	case locked:
		return func() { _ = file.Unlock() }, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", l.Busy, ctx.Err())
	default:
		return nil, fmt.Errorf("lock %s: %w", l.Path, err)
	}
}
