package store

import (
	"context"
	"fmt"
	"path/filepath"

	"gitops-runtime/tests/hostlock"
)

// Lock makes this process the only one that adds to the store, and returns the function that releases the lock. While another process holds the lock,
// waiting is called once and Lock waits until ctx ends.
func (s Store) Lock(ctx context.Context, waiting func()) (func(), error) {
	lock := hostlock.Lock{Path: filepath.Join(s.Dir, ".lock"), Busy: "another process is building images", Waiting: waiting}
	release, err := lock.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("image cache: %w", err)
	}
	return release, nil
}
