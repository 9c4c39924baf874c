// Package apt serializes the steps that install Debian packages, which run in parallel and in several commands: apt-get fails if another instance is
// running.
package apt

import (
	"context"
	"os"
	"path/filepath"

	"gitops-runtime/tests/filelock"
)

// Lock waits until no other step installs packages, and holds the lock until the returned function is called or this process ends. Check again what is
// to be installed after that: the previous step may have installed it.
func Lock(ctx context.Context) (unlock func(), err error) {
	return lock(filepath.Join(os.TempDir(), "gitops-runtime-apt.lock")).Acquire(ctx)
}

func lock(path string) filelock.Lock {
	return filelock.Lock{Path: path, Busy: "another step installs Debian packages"}
}
