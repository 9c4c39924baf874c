package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockPoll is how often a waiting process asks for the lock again.
const lockPoll = 500 * time.Millisecond

// Lock makes this process the only one that adds to the store, and returns
// what gives it up. While another process holds the lock, waiting is called
// once and Lock waits until ctx ends. The kernel drops the lock of a process
// that dies.
func (s Store) Lock(ctx context.Context, waiting func()) (func(), error) {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("image cache: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(s.Dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("image cache: %w", err)
	}
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for first := true; ; first = false {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			_ = file.Close()
			return nil, fmt.Errorf("image cache: lock of %s: %w", s.Dir, err)
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("image cache: another process is building images: %w", ctx.Err())
		case <-ticker.C:
		}
	}
}
