// Package apt lets the steps that install Debian packages, which run side by side and in several commands, take turns:
// apt-get fails at once where another one is at work.
package apt

import (
	"context"
	"os"
	"path/filepath"

	"gitops-runtime/tests/filelock"
)

// Lock waits until no other step installs packages, and keeps others waiting until the returned function is called or
// this process ends. Look again for what is to be installed once it is held: the step before may have installed it.
func Lock(ctx context.Context) (unlock func(), err error) {
	return lock(filepath.Join(os.TempDir(), "gitops-runtime-apt.lock")).Acquire(ctx)
}

func lock(path string) filelock.Lock {
	return filelock.Lock{Path: path, Busy: "another step installs Debian packages"}
}
