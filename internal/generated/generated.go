// Package generated writes the files that make generate derives from their sources, and reports those in a checkout that differ from what would be
// written. It does not know how any of them is generated.
package generated

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	"gitops-runtime/internal/gomodule"
)

// File is a generated file: its path relative to the repository's root and its content.
type File struct {
	Path string
	Text []byte
}

// Write writes the files below root.
func Write(root string, files []File) error {
	for _, file := range files {
		path := filepath.Join(root, file.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write a generated file: %w", err)
		}
		if err := os.WriteFile(path, file.Text, 0o644); err != nil {
			return fmt.Errorf("write a generated file: %w", err)
		}
	}
	return nil
}

// Drift returns one sentence for each of the files that is missing below root or has other content there.
func Drift(root string, files []File) ([]string, error) {
	var drift []string
	for _, file := range files {
		current, err := os.ReadFile(filepath.Join(root, file.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			drift = append(drift, file.Path+" is missing; run make generate")
		case err != nil:
			return nil, fmt.Errorf("read a generated file: %w", err)
		case !bytes.Equal(current, file.Text):
			drift = append(drift, file.Path+" differs from its source; run make generate")
		}
	}
	return drift, nil
}

// Main is the main function of a command that writes generated files: it runs write with the root of the repository, and exits with 1 after an
// error. An interrupt cancels the context.
func Main(command string, write func(ctx context.Context, root string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := gomodule.Root()
	if err == nil {
		err = write(ctx, root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, command+":", err)
		os.Exit(1) //nolint:gocritic // there is nothing to clean up
	}
}
