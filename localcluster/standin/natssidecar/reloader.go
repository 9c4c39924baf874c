// Package natssidecar provides stand-ins for the two sidecars that Argo Events adds to a JetStream server: the one that reloads its configuration,
// and the one that exports its metrics.
package natssidecar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Reloader sends SIGHUP to a server when one of its configuration files has changed.
type Reloader struct {
	PIDFile  string              // PIDFile contains the server's process id in decimal.
	Files    []string            // Files are watched for changes of content, with all files in their folders.
	Interval time.Duration       // Interval is the time between two checks.
	Signal   func(pid int) error // Signal sends SIGHUP to a process; Hangup does.
	Log      *slog.Logger
}

// Hangup sends SIGHUP to a process.
func Hangup(pid int) error { return syscall.Kill(pid, syscall.SIGHUP) }

// Run watches until ctx ends. It waits for a missing server or file, and sends a failed signal again.
func (r Reloader) Run(ctx context.Context) error {
	ticker := time.NewTicker(r.Interval)
	defer ticker.Stop()
	var seen []byte
	for {
		now, err := r.digest()
		switch {
		case err != nil:
			r.Log.WarnContext(ctx, "cannot read the configuration", "error", err)
		case seen == nil:
			seen = now
		case !bytes.Equal(seen, now):
			if err := r.reload(); err != nil {
				r.Log.WarnContext(ctx, "cannot reload the server", "error", err)
				break
			}
			r.Log.InfoContext(ctx, "signaled the server to reload its configuration")
			seen = now
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// digest returns a checksum of the files and of all other files in their folders, since a configuration includes files and references certificates.
func (r Reloader) digest() ([]byte, error) {
	sum := sha256.New()
	for _, file := range r.Files {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("looking at a watched file: %w", err)
		}
		folder := filepath.Dir(file)
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("looking into a watched folder: %w", err)
		}
		for _, entry := range entries {
			name := filepath.Join(folder, entry.Name())
			info, err := os.Stat(name) // follows the symlinks of mounted Secrets and ConfigMaps
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			document, err := os.ReadFile(name)
			if err != nil {
				return nil, fmt.Errorf("reading a watched file: %w", err)
			}
			fmt.Fprintf(sum, "%s %d\n", name, len(document))
			sum.Write(document)
		}
	}
	return sum.Sum(nil), nil
}

func (r Reloader) reload() error {
	document, err := os.ReadFile(r.PIDFile)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the server has not written its process id to %q yet", r.PIDFile)
	}
	if err != nil {
		return fmt.Errorf("reading the server's process id: %w", err)
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(document)))
	if err != nil || pid < 1 {
		return fmt.Errorf("the file %q holds no process id", r.PIDFile)
	}
	if err := r.Signal(pid); err != nil {
		return fmt.Errorf("signalling process %d: %w", pid, err)
	}
	return nil
}
