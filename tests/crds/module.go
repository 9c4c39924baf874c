package crds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gitops-runtime/internal/gomodule"
)

// Module is an Origin: a folder of definitions in the source of a pinned module.
type Module struct {
	Program string // folder below tests/e2e/programs whose go.mod pins the module
	Path    string // module path
	Folder  string // folder of the definitions inside the module
}

// String names the folder for error messages.
func (m Module) String() string { return m.Path + "/" + m.Folder }

// Definitions derives the definitions of the folder.
func (m Module) Definitions(ctx context.Context, root string) ([]Definition, error) {
	module, err := gomodule.Find(ctx, filepath.Join(root, "tests", "e2e", "programs", m.Program), m.Path)
	if err != nil {
		return nil, err
	}
	return deriveFolder(module, m.Folder)
}

func deriveFolder(module gomodule.Module, name string) ([]Definition, error) {
	folder := filepath.Join(module.Dir, filepath.FromSlash(name))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list the definitions of %s %s: %w", module.Path, module.Version, err)
	}
	var definitions []Definition
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
		definitions = append(definitions, definition)
	}
	return definitions, nil
}
