// Package router runs the nginx configuration of internal-router, as the chart renders it, with a real nginx.
package router

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gitops-runtime/tests/hostlock"
)

// usual is where Debian installs nginx; it is not in every user's PATH.
const usual = "/usr/sbin/nginx"

// Machine provides what Find needs from a machine.
type Machine struct {
	// LookPath returns the path of a program, given its name or path.
	LookPath func(name string) (string, error)
	// Run runs a program in a folder.
	Run func(ctx context.Context, folder, name string, args ...string) error
	// UID is the user this process runs as.
	UID int
	// Cache is a folder to store a downloaded nginx in.
	Cache string
}

// ThisMachine returns the machine this process runs on.
func ThisMachine() (Machine, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Machine{}, fmt.Errorf("find the cache folder: %w", err)
	}
	return Machine{LookPath: exec.LookPath, Run: run, UID: os.Getuid(), Cache: filepath.Join(cache, "gitops-runtime", "nginx")}, nil
}

func run(ctx context.Context, folder, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = folder
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Find returns the path of nginx: that of the machine or, as root on Debian, the program of Debian's package. The package is unpacked and not
// installed, because installing it starts a server.
func (m Machine) Find(ctx context.Context) (string, error) {
	unpacked := filepath.Join(m.Cache, "usr", "sbin", "nginx")
	for _, place := range []string{"nginx", usual, unpacked} {
		if path, err := m.LookPath(place); err == nil {
			return path, nil
		}
	}
	if _, err := m.LookPath("apt-get"); err != nil || m.UID != 0 {
		return "", errors.New("nginx is required to test the routes of internal-router and is not installed: install the Debian package nginx-light, or run as root on Debian")
	}
	unlock, err := hostlock.Apt(ctx)
	if err != nil {
		return "", fmt.Errorf("download nginx: %w", err)
	}
	defer unlock()
	if path, err := m.LookPath(unpacked); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(m.Cache, 0o755); err != nil {
		return "", fmt.Errorf("download nginx: %w", err)
	}
	for _, command := range [][]string{
		{"apt-get", "-qq", "update"},
		{"apt-get", "-qq", "download", "nginx"},
		{"sh", "-c", "dpkg-deb --extract nginx_*.deb . && rm nginx_*.deb"},
		{unpacked, "-v"}, // its libraries are installed
	} {
		if err := m.Run(ctx, m.Cache, command[0], command[1:]...); err != nil {
			return "", fmt.Errorf("get nginx from Debian (or install the package nginx-light yourself): %w", err)
		}
	}
	return unpacked, nil
}
