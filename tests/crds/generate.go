package crds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gitops-runtime/tests/gomodule"
)

// File is a generated file: its path relative to the repository's root and its content.
type File struct {
	Path   string
	Text   []byte
	Before int // bytes of the definition in the module
}

// Generate derives the definitions of every source. root is the repository's root.
func Generate(ctx context.Context, root string, sources []Source) ([]File, error) {
	var files []File
	for _, source := range sources {
		module, err := gomodule.Find(ctx, filepath.Join(root, "tests", "programs", source.Program), source.Module)
		if err != nil {
			return nil, err
		}
		derived, err := deriveFolder(module, source)
		if err != nil {
			return nil, err
		}
		files = append(files, derived...)
	}
	return files, nil
}

func deriveFolder(module gomodule.Module, source Source) ([]File, error) {
	folder := filepath.Join(module.Dir, filepath.FromSlash(source.Folder))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list the definitions of %s %s: %w", module.Path, module.Version, err)
	}
	var files []File
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".yaml" || entry.Name() == "kustomization.yaml" {
			continue
		}
		file := filepath.Join(folder, entry.Name())
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a definition: %w", err)
		}
		definition, err := derive(module, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		files = append(files, File{
			Path:   filepath.Join(filepath.FromSlash(source.Target), definition.Plural+".yaml"),
			Text:   definition.Text,
			Before: definition.Before,
		})
	}
	if len(files) != source.Count {
		return nil, fmt.Errorf("%s holds %d definitions, want %d; if upstream changed them, change Sources", folder, len(files), source.Count)
	}
	return files, nil
}

// Write puts the files below root and removes the definitions there that are no longer made.
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
