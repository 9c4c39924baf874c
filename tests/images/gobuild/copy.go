package gobuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gitops-runtime/tests/gomodule"
	"gitops-runtime/tests/images/store"
)

// Copy is a module that is built from a copy with changes, because its
// published form lacks files that its own build generates or links, or calls
// another version of a library than can be had.
type Copy struct {
	// Module is the module's path; its version stands in the program's go.mod.
	Module string
	// Add maps files of the copy to their text.
	Add map[string]string
	// Clone maps files of the copy to the files of the module they repeat.
	Clone map[string]string
	// Edit lists the replacements in each file of the copy.
	Edit map[string][]Replacement
}

// Replacement is a piece of a file's text, which occurs there once, and what
// takes its place.
type Replacement struct{ Old, New string }

// copyFolder is where the copy of the module stands beside the go.mod, which
// points there by a replace line of its own.
const copyFolder = "src"

// prepare is the folder to call go in: the program's own, or one in the cache
// where the changed copy stands beside its go.mod.
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
	for file, replacements := range change.Edit {
		if err := editFile(filepath.Join(source, file), replacements); err != nil {
			return fmt.Errorf("edit %s: %w", file, err)
		}
	}
	return nil
}

// editFile refuses a text that the file does not have exactly once: then it is
// another version than the replacement was written for.
func editFile(name string, replacements []Replacement) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(content)
	for _, one := range replacements {
		if count := strings.Count(text, one.Old); count != 1 {
			return fmt.Errorf("%q occurs %d times instead of once: adapt the replacement to this version of the module", one.Old, count)
		}
		text = strings.Replace(text, one.Old, one.New, 1)
	}
	return writeFile(name, []byte(text))
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
