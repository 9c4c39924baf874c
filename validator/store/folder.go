package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gitops-runtime/internal/outfile"
)

// folder is the path of a folder.
type folder string

// Put writes the archive under a temporary name, and renames it.
func (f folder) Put(_ context.Context, name string, content []byte) error {
	const mode = 0o600
	return outfile.Write(filepath.Join(string(f), name), content, mode)
}

// Get reads a regular file.
func (f folder) Get(_ context.Context, name string) ([]byte, error) {
	path := filepath.Join(string(f), name)
	content, err := outfile.ReadRegular(path, MaxArchive)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", path, outfile.Reason(err))
	}
	return content, nil
}

// List returns the names of regular files.
func (f folder) List(context.Context) ([]string, error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", string(f), outfile.Reason(err))
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Remove removes a file.
func (f folder) Remove(_ context.Context, name string) error {
	if err := os.Remove(filepath.Join(string(f), name)); err != nil {
		return fmt.Errorf("%s: %s", filepath.Join(string(f), name), outfile.Reason(err))
	}
	return nil
}
