package hostlock

import (
	"context"
	"os"
	"path/filepath"
)

// Install installs Debian packages with apt-get, which run runs as a program with arguments, unless they are installed: already, or by another step on this
// machine while this one waited for its turn.
func Install(ctx context.Context, run func(ctx context.Context, name string, args ...string) error, installed func() bool, packages ...string) error {
	if installed() {
		return nil
	}
	unlock, err := Apt(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if installed() {
		return nil
	}
	for _, args := range [][]string{{"update"}, append([]string{"install", "--yes", "--no-install-recommends"}, packages...)} {
		if err := run(ctx, "env", append([]string{"DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// Apt waits until no other step on this machine uses apt-get, which fails if another instance is running, and holds the lock until the returned function is
// called or this process ends. Check again what is to be installed after that: the previous step may have installed it.
func Apt(ctx context.Context) (unlock func(), err error) {
	return aptLock(filepath.Join(os.TempDir(), "gitops-runtime-apt.lock")).Acquire(ctx)
}

func aptLock(path string) Lock {
	return Lock{Path: path, Busy: "another step installs Debian packages"}
}
