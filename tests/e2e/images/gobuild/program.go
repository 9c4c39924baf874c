// Package gobuild builds programs from Go modules, static and stripped, and identifies the inputs of each.
package gobuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gitops-runtime/tests/e2e/images/store"
)

// Program is one main package.
type Program struct {
	// Name is the program's name in messages.
	Name string
	// Dir is the folder of the go.mod that determines all versions, relative to the root of the checkout.
	Dir string
	// Package is the import path of the main package, or ./folder in Dir.
	Package string
	// LDFlags are linker flags in addition to -s -w, such as -X for a version.
	LDFlags string
	// Tags are build tags, separated by commas.
	Tags string
	// Own marks a program of this repository: its key depends only on its sources, and it is compiled as `go test` compiles, so that both share the
	// build cache.
	Own bool
	// Copy, if set, is a module that cannot be built as published.
	Copy *Copy
}

// Toolchain builds programs with the installed Go.
type Toolchain struct {
	// Root is the root of the checkout.
	Root string
	// Cache is the folder for prepared copies of modules.
	Cache string
}

// Flags returns the flags of builds of other projects' programs: without debug information, which halves compile and link time. Different flags would
// recompile all packages.
func Flags(linker string) []string {
	return []string{"-trimpath", "-gcflags=all=-dwarf=false", "-ldflags=" + strings.TrimSpace("-s -w "+linker)}
}

// Environment returns the environment for the go command; modules is "readonly", or "mod" if go may change module files.
func Environment(modules string) []string {
	return []string{"CGO_ENABLED=0", "GOGC=400", "GOOS=linux", "GOWORK=off", "GOFLAGS=-mod=" + modules + " -buildvcs=false"}
}

// environment is for modules whose files are complete, so that go must not change them.
var environment = Environment("readonly")

func (p Program) flags() []string {
	all := Flags(p.LDFlags)
	if p.Own {
		all = []string{all[0], all[len(all)-1]}
	}
	if p.Tags != "" {
		all = append(all, "-tags="+p.Tags)
	}
	return all
}

// Key identifies the inputs of the program: the sources or module files, the flags, the machine's architecture and the version of Go.
func (t Toolchain) Key(ctx context.Context, p Program) (string, error) {
	version, err := t.run(ctx, filepath.Join(t.Root, p.Dir), "env", "GOVERSION")
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	sources, err := t.sources(ctx, p)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	return store.Key("program-"+p.Name, strings.TrimSpace(version), runtime.GOARCH, environment, p.flags(), p.Package, p.Copy, sources)
}

// Fetch downloads the modules the program needs, and only those. It can run
// while another program compiles.
func (t Toolchain) Fetch(ctx context.Context, p Program) error {
	dir, err := t.prepare(ctx, p)
	if err == nil {
		_, err = t.run(ctx, dir, "list", "-deps", "-tags="+p.Tags, "-f", "{{with .Error}}{{.}}{{end}}", p.Package)
	}
	if err != nil {
		return fmt.Errorf("modules of %s: %w", p.Name, err)
	}
	return nil
}

// Build compiles the program to the file out.
func (t Toolchain) Build(ctx context.Context, p Program, out string) error {
	dir, err := t.prepare(ctx, p)
	if err == nil {
		_, err = t.run(ctx, dir, slices.Concat([]string{"build"}, p.flags(), []string{"-o", out, p.Package})...)
	}
	if err != nil {
		return fmt.Errorf("building %s: %w", p.Name, err)
	}
	return nil
}

// ZoneInfo returns the path of the time zone file of the Go distribution.
func (t Toolchain) ZoneInfo(ctx context.Context) (string, error) {
	root, err := t.run(ctx, t.Root, "env", "GOROOT")
	if err != nil {
		return "", fmt.Errorf("time zones: %w", err)
	}
	return filepath.Join(strings.TrimSpace(root), "lib", "time", "zoneinfo.zip"), nil
}

// sources maps each source file of the program to the hash of its content. The hashes of modules are in go.sum already.
func (t Toolchain) sources(ctx context.Context, p Program) (map[string]string, error) {
	dir := filepath.Join(t.Root, p.Dir)
	if !p.Own {
		return hashes(dir, dir)
	}
	list, err := t.run(ctx, dir, "list", "-deps", "-f", ownFolders, p.Package)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, name := range append(strings.Fields(list), filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum")) {
		some, err := hashes(dir, name)
		if err != nil {
			return nil, err
		}
		for file, hash := range some {
			if !strings.HasSuffix(file, "_test.go") {
				all[file] = hash
			}
		}
	}
	return all, nil
}

// ownFolders prints the folder of a package of this repository: one of the module that is built, or of one that its go.mod replaces by a folder.
const ownFolders = "{{with .Module}}{{if or .Main (and .Replace (not .Replace.Version))}}{{$.Dir}}{{end}}{{end}}"

// hashes maps the files below name, as paths relative to base, to the SHA-256 of their content.
func hashes(base, name string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(name, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		from, err := filepath.Rel(base, file)
		sum := sha256.Sum256(content)
		all[filepath.ToSlash(from)] = hex.EncodeToString(sum[:])
		return err
	})
	return all, err
}

// run calls go in the folder and returns its standard output.
func (t Toolchain) run(ctx context.Context, dir string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), environment...)
	var problems strings.Builder
	command.Stderr = &problems
	out, err := command.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("the Go compiler is needed to build images from source: install the Go version of go.mod and put it on PATH: %w", err)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("go %s in %s: %w:\n%s", args[0], dir, err, lastLines(problems.String(), 20))
	}
	return string(out), nil
}

// lastLines returns the last count lines of text, without go's messages about downloads.
func lastLines(text string, count int) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "go: downloading ")
	})
	if len(lines) > count {
		lines = lines[len(lines)-count:]
	}
	return strings.Join(lines, "\n")
}
