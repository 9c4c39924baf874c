// Package apt lets the steps that install Debian packages, which run side by side and in several commands, take turns:
// apt-get fails at once where another one is at work.
package apt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Lock waits until no other step installs packages, and keeps others waiting until the returned function is called or
// this process ends. Look again for what is to be installed once it is held: the step before may have installed it.
func Lock(ctx context.Context) (unlock func(), err error) {
	return lock(ctx, filepath.Join(os.TempDir(), "gitops-runtime-apt.lock"))
}

func lock(ctx context.Context, path string) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("wait for apt-get: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("another step installs Debian packages: %w", ctx.Err()), file.Close())
		case <-time.After(200 * time.Millisecond):
		}
	}
}
