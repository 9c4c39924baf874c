// Package filelock lets processes of this machine take turns, by a lock on a file. The kernel drops the lock of a process
// that ends, however it ends.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// poll is how often a waiting process asks again.
const poll = 200 * time.Millisecond

// Lock is a lock file and what is said of it.
type Lock struct {
	// Path is the file; its folder is made.
	Path string
	// Busy says what the holder does, for the error of one that waited in vain.
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
	file, err := os.OpenFile(l.Path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for first := true; ; first = false {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", l.Path, err), file.Close())
		}
		if first && l.Waiting != nil {
			l.Waiting()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("%s: %w", l.Busy, ctx.Err()), file.Close())
		case <-ticker.C:
		}
	}
}
