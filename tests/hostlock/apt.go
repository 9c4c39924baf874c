package hostlock

import (
	"context"
	"os"
	"path/filepath"
)

// Apt waits until no other step on this machine installs Debian packages, since apt-get fails if another instance is running, and holds the lock until the returned function is called or this process ends. Check again what is
// to be installed after that: the previous step may have installed it.
func Apt(ctx context.Context) (unlock func(), err error) {
	return aptLock(filepath.Join(os.TempDir(), "gitops-runtime-apt.lock")).Acquire(ctx)
}

func aptLock(path string) Lock {
	return Lock{Path: path, Busy: "another step installs Debian packages"}
}
