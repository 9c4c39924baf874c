package gobuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/e2e/images/store"
)

// Copy is a module that is built from a copy with changes, because its
// published form lacks files that its own build generates or links.
type Copy struct {
	// Module is the module's path; its version is in the program's go.mod.
	Module string
	// Add maps files of the copy to their text.
	Add map[string]string
	// Clone maps files of the copy to the files of the module with the same content.
	Clone map[string]string
}

// copyFolder is the folder of the module's copy, next to the go.mod, which refers to it with a replace directive.
const copyFolder = "src"

// prepare returns the folder to call go in: the program's own, or one in the cache with the modified copy next to its go.mod.
func (t Toolchain) prepare(ctx context.Context, p Program) (string, error) {
	dir := filepath.Join(t.Root, p.Dir)
	if p.Copy == nil {
		return dir, nil
	}
	files, err := hashes(dir, dir)
	if err != nil {
		return "", err
	}
	key, err := store.Key(filepath.Base(p.Dir), files, p.Copy)
	if err != nil {
		return "", err
	}
	final := filepath.Join(t.Cache, key)
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	work := filepath.Join(t.Cache, ".making-"+strconv.Itoa(os.Getpid())+"-"+key)
	defer func() { _ = os.RemoveAll(work) }()
	if err := t.copyModule(ctx, dir, work, *p.Copy); err != nil {
		return "", fmt.Errorf("copy of %s: %w", p.Copy.Module, err)
	}
	if err := os.Rename(work, final); err != nil {
		if _, missing := os.Stat(final); missing != nil {
			return "", fmt.Errorf("copy of %s: %w", p.Copy.Module, err)
		}
	}
	return final, nil
}

func (t Toolchain) copyModule(ctx context.Context, dir, work string, change Copy) error {
	module, err := gomodule.Find(ctx, dir, change.Module)
	if err != nil {
		return err
	}
	published := module.Dir
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	source := filepath.Join(work, copyFolder)
	if err := os.CopyFS(source, os.DirFS(published)); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(work, name)); err != nil {
			return err
		}
	}
	for file, from := range change.Clone {
		if err := copyFile(filepath.Join(published, from), filepath.Join(source, file)); err != nil {
			return err
		}
	}
	for file, text := range change.Add {
		if err := writeFile(filepath.Join(source, file), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, content)
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o644)
}
