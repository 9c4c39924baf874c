package crds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitops-runtime/internal/generated"
)

// File is a generated definition.
type File struct {
	generated.File
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
			return nil, fmt.Errorf("%s contains %d definitions, want %d; if this is intended, change Sources", source.Origin, len(definitions), source.Count)
		}
		for _, definition := range definitions {
			path := filepath.Join(filepath.FromSlash(source.Target), definition.Plural+".yaml")
			files = append(files, File{generated.File{Path: path, Text: definition.Text}, definition.Before})
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
			return fmt.Errorf("remove a definition that is no longer generated: %w", err)
		}
	}
	return generated.Write(root, plain(files))
}

func plain(files []File) []generated.File {
	all := make([]generated.File, 0, len(files))
	for _, file := range files {
		all = append(all, file.File)
	}
	return all
}

// Drift returns one sentence for each definition below root that is missing, differs or is no longer generated.
func Drift(root string, sources []Source, files []File) ([]string, error) {
	drift, err := generated.Drift(root, plain(files))
	if err != nil {
		return nil, err
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
