package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Remove stops the daemon if it runs and deletes all its files.
func (d *Daemon) Remove(ctx context.Context) error {
	pid, err := d.pid()
	if err != nil {
		return err
	}
	if pid != 0 {
		if err := stop(ctx, pid); err != nil {
			return err
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for _, point := range mountsBelow(string(mounts), d.Dir) {
		if err := syscall.Unmount(point, syscall.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount %s: %w", point, err)
		}
	}
	return os.RemoveAll(d.Dir)
}

// pid returns the process id of the running daemon, or 0. The process id in the file may belong to another program by now, so the process must have
// this daemon's configuration among its arguments.
func (d *Daemon) pid() (int, error) {
	text, err := os.ReadFile(d.path("docker.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", d.path("docker.pid"), err)
	}
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	if !slices.Contains(strings.Split(string(arguments), "\x00"), d.path("daemon.json")) {
		return 0, nil
	}
	return pid, nil
}

// stop sends SIGTERM to a process and waits until it has exited.
func stop(ctx context.Context, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the private Docker daemon: %w", err)
	}
	for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the private Docker daemon, process %d, does not end: %w", pid, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// mountsBelow returns the mount points in a directory from the text of /proc/self/mountinfo, the inner ones first.
func mountsBelow(mountinfo, dir string) []string {
	var points []string
	for line := range strings.Lines(mountinfo) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], dir+"/") {
			points = append(points, fields[4])
		}
	}
	slices.Reverse(points)
	return points
}
