package crds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is a generated file: its path relative to the repository's root and its content.
type File struct {
	Path   string
	Text   []byte
	Before int // bytes of the definition in its origin
}

// Generate returns the definitions of every source. root is the repository's root.
func Generate(ctx context.Context, root string, sources []Source) ([]File, error) {
	var files []File
	for _, source := range sources {
		definitions, err := source.Origin.Definitions(ctx, root)
		if err != nil {
			return nil, err
		}
		if len(definitions) != source.Count {
			return nil, fmt.Errorf("%s holds %d definitions, want %d; if that is meant, change Sources", source.Origin, len(definitions), source.Count)
		}
		for _, definition := range definitions {
			files = append(files, File{
				Path:   filepath.Join(filepath.FromSlash(source.Target), definition.Plural+".yaml"),
				Text:   definition.Text,
				Before: definition.Before,
			})
		}
	}
	return files, nil
}

// Write puts the files below root and removes the definitions there that are no longer generated.
func Write(root string, sources []Source, files []File) error {
	stale, err := staleFiles(root, sources, files)
	if err != nil {
		return err
	}
	for _, path := range stale {
		if err := os.Remove(filepath.Join(root, path)); err != nil {
			return fmt.Errorf("remove a definition that is no longer made: %w", err)
		}
	}
	for _, file := range files {
		target := filepath.Join(root, file.Path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("write a definition: %w", err)
		}
		if err := os.WriteFile(target, file.Text, 0o644); err != nil {
			return fmt.Errorf("write a definition: %w", err)
		}
	}
	return nil
}

// Drift returns one sentence for each file below root that is not what files says.
func Drift(root string, sources []Source, files []File) ([]string, error) {
	var drift []string
	for _, file := range files {
		have, err := os.ReadFile(filepath.Join(root, file.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			drift = append(drift, file.Path+" is missing; run make generate")
		case err != nil:
			return nil, fmt.Errorf("read a definition: %w", err)
		case string(have) != string(file.Text):
			drift = append(drift, file.Path+" differs from its source; run make generate")
		}
	}
	stale, err := staleFiles(root, sources, files)
	if err != nil {
		return nil, err
	}
	for _, path := range stale {
		drift = append(drift, path+" has no source; run make generate")
	}
	return drift, nil
}

func staleFiles(root string, sources []Source, files []File) ([]string, error) {
	wanted := map[string]bool{}
	for _, file := range files {
		wanted[file.Path] = true
	}
	var stale []string
	for _, source := range sources {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(source.Target), "*.yaml"))
		if err != nil {
			return nil, fmt.Errorf("list the definitions: %w", err)
		}
		for _, path := range found {
			relative := strings.TrimPrefix(path, root+string(filepath.Separator))
			if !wanted[relative] {
				stale = append(stale, relative)
			}
		}
	}
	return stale, nil
}
