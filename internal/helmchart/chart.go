// Package helmchart reads Helm charts from directories, archives and registries,
// within a budget: with Load what values are checked by (name and version, default
// values, schemas, dependencies), with Whole all that is rendered. It knows nothing
// of what registries are reached by, which a Registry does, nor of values.
package helmchart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/cleantext"
)

// Chart is a chart without its templates.
type Chart struct {
	// Name is the name under which the parent's values address it (an alias
	// where there is one).
	Name string
	// Title is the name in Chart.yaml.
	Title      string
	Version    string
	AppVersion string
	// Defaults is values.yaml as a tree.
	Defaults map[string]any
	// Schema is values.schema.json, nil when the chart has none.
	Schema []byte
	// Dependencies in the order of Chart.yaml.
	Dependencies []Dependency
}

// Dependency is a subchart with what switches it on.
type Dependency struct {
	*Chart
	// Condition is a comma-separated list of value paths, the first one that
	// exists decides; empty means always on.
	Condition string
}

// metadata is the part of Chart.yaml that is read.
type metadata struct {
	Name         string      `json:"name"`
	Version      string      `json:"version"`
	AppVersion   string      `json:"appVersion"`
	Dependencies []reference `json:"dependencies"`
}

type reference struct {
	Name       string `json:"name"`
	Alias      string `json:"alias"`
	Repository string `json:"repository"`
	Condition  string `json:"condition"`
}

// Load reads a chart from a directory or a packaged .tgz file, with all that it
// depends on within the default budget.
func Load(ctx context.Context, name string) (*Chart, error) {
	return LoadWithin(ctx, budget.New(budget.Default()), name)
}

// LoadWithin is Load within another budget.
func LoadWithin(ctx context.Context, left *budget.Budget, name string) (*Chart, error) {
	info, err := os.Stat(name)
	if strings.Contains(name, "://") {
		return nil, fmt.Errorf("chart %s: a chart is a directory, a .tgz file or an oci:// reference; fetch this one with `helm pull` first", cleantext.URL(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("chart %s: no such directory or .tgz file", name)
	}
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if info.IsDir() {
		return read(ctx, left, source{files: directory(name), place: name, local: name})
	}
	files, err := unpack(ctx, left, name)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", name, err)
	}
	return read(ctx, left, source{files: files, place: name})
}

// LoadFiles reads a chart from files in memory by their slash-separated names in
// it; those of the charts it depends on are under charts/. place names it in errors.
func LoadFiles(ctx context.Context, place string, files map[string][]byte) (*Chart, error) {
	return read(ctx, budget.New(budget.Default()), source{files: memory(files), place: place})
}

// Umbrella is the name of the chart whose values are checked.
const Umbrella = "gitops-runtime"

// Runtime is the umbrella chart among those that a chart depends on, nil for
// the umbrella chart itself and for a chart without it.
func (c *Chart) Runtime() *Chart {
	if c.Title == Umbrella {
		return nil
	}
	for _, dependency := range c.Dependencies {
		if dependency.Title == Umbrella {
			return dependency.Chart
		}
	}
	return nil
}

// Find looks for the umbrella chart at and above a directory: in it, or in
// charts/gitops-runtime below. It returns "" when there is none.
func Find(start string) string {
	for at := start; ; at = filepath.Dir(at) {
		if data, err := os.ReadFile(filepath.Join(at, "Chart.yaml")); err == nil && strings.Contains(string(data), "name: gitops-runtime\n") {
			return at
		}
		below := filepath.Join(at, "charts", "gitops-runtime")
		if _, err := os.Stat(filepath.Join(below, "Chart.yaml")); err == nil {
			return below
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// source is the files of one chart. place names it in errors; local is its
// directory on disk, against which file:// dependencies resolve.
type source struct {
	files tree
	place string
	local string
}

// tree is a read-only set of files with slash-separated names.
type tree interface {
	read(ctx context.Context, left *budget.Budget, name string) ([]byte, error)
	match(pattern string) []string
	below(folder string) tree
}

// directory is a tree on disk.
type directory string

func (d directory) read(ctx context.Context, left *budget.Budget, name string) ([]byte, error) {
	return readFile(ctx, left, filepath.Join(string(d), filepath.FromSlash(name)))
}

// readFile reads a regular file: a pipe in its place would never end.
func readFile(ctx context.Context, left *budget.Budget, name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return left.Read(ctx, name, file)
}

func (d directory) match(pattern string) []string {
	names, _ := fs.Glob(os.DirFS(string(d)), pattern)
	return names
}

func (d directory) below(folder string) tree {
	return directory(filepath.Join(string(d), filepath.FromSlash(folder)))
}

// identity tells charts apart: two ways to one folder on disk are the same.
func (s source) identity() string {
	if real, err := filepath.EvalSymlinks(s.local); s.local != "" && err == nil {
		if absolute, err := filepath.Abs(real); err == nil {
			return absolute
		}
	}
	return s.place
}

func read(ctx context.Context, left *budget.Budget, from source) (*Chart, error) {
	left, err := left.Enter(from.identity())
	if err != nil {
		return nil, fmt.Errorf("chart %w", err)
	}
	var meta metadata
	text, err := from.files.read(ctx, left, "Chart.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("chart %s is not a chart: it has no Chart.yaml", from.place)
	}
	if err == nil {
		err = left.YAML("Chart.yaml", text)
	}
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", from.place, err)
	}
	if err := yaml.Unmarshal(text, &meta); err != nil {
		return nil, fmt.Errorf("chart %s: Chart.yaml: %w", from.place, err)
	}
	loaded := &Chart{Name: meta.Name, Title: meta.Name, Version: meta.Version, AppVersion: meta.AppVersion, Defaults: map[string]any{}}
	// Values files are by far the most that there is to read, so they are read side by side.
	var side errgroup.Group
	side.Go(func() error { return loaded.values(ctx, left, from) })
	below, err := dependencies(ctx, left, from, meta.Dependencies)
	if own := side.Wait(); own != nil {
		err = own
	}
	if err != nil {
		return nil, err
	}
	loaded.Dependencies = below
	return loaded, nil
}

// values reads the chart's own values and the schema for them.
func (c *Chart) values(ctx context.Context, left *budget.Budget, from source) error {
	text, err := optional(ctx, left, from, "values.yaml")
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, &c.Defaults); err != nil {
		return fmt.Errorf("chart %s: values.yaml: %w", from.place, err)
	}
	c.Schema, err = optional(ctx, left, from, "values.schema.json")
	return err
}

// sideBySide is how many dependencies of a chart are read at a time.
const sideBySide = 4

// dependencies reads the charts below.
func dependencies(ctx context.Context, left *budget.Budget, from source, wanted []reference) ([]Dependency, error) {
	read := make([]*Dependency, len(wanted))
	var side errgroup.Group
	side.SetLimit(sideBySide)
	for i, one := range wanted {
		side.Go(func() (err error) {
			read[i], err = resolve(ctx, left, from, one)
			return err
		})
	}
	if err := side.Wait(); err != nil {
		return nil, err
	}
	var present []Dependency
	for _, one := range read {
		if one != nil {
			present = append(present, *one)
		}
	}
	return present, nil
}

// resolve finds a dependency: unpacked under charts/, packed under charts/, or
// by its file:// repository. One that is nowhere is left out, as it is not
// known what it would bring; Helm asks for `helm dependency build` then.
func resolve(ctx context.Context, left *budget.Budget, from source, wanted reference) (*Dependency, error) {
	place, found, err := locate(ctx, left, from, wanted)
	if err != nil || !found {
		return nil, err
	}
	loaded, err := read(ctx, left, place)
	if err != nil {
		return nil, err
	}
	if wanted.Alias != "" {
		loaded.Name = wanted.Alias
	}
	return &Dependency{Chart: loaded, Condition: wanted.Condition}, nil
}

func locate(ctx context.Context, left *budget.Budget, from source, wanted reference) (source, bool, error) {
	if strings.ContainsAny(wanted.Name, `/\*?[`) || wanted.Name == ".." {
		return source{}, false, fmt.Errorf("chart %s: its dependency %q does not have the name of a chart", from.place, wanted.Name)
	}
	if strings.HasPrefix(wanted.Repository, "file://") && from.local != "" {
		beside := filepath.Join(from.local, strings.TrimPrefix(wanted.Repository, "file://"))
		if _, err := os.Stat(filepath.Join(beside, "Chart.yaml")); err == nil {
			return source{files: directory(beside), place: beside, local: beside}, true, nil
		}
	}
	inside := path.Join("charts", wanted.Name)
	if _, err := from.files.read(ctx, left, path.Join(inside, "Chart.yaml")); err == nil {
		return source{files: from.files.below(inside), place: path.Join(from.place, inside)}, true, nil
	}
	packed := from.files.match(path.Join("charts", wanted.Name+"-[0-9]*.tgz"))
	if len(packed) == 0 {
		return source{}, false, nil
	}
	data, err := from.files.read(ctx, left, packed[0])
	if err != nil {
		return source{}, false, fmt.Errorf("chart %s: %w", from.place, err)
	}
	files, err := untar(ctx, left, data)
	if err != nil {
		return source{}, false, fmt.Errorf("chart %s: %s: %w", from.place, packed[0], err)
	}
	return source{files: files, place: path.Join(from.place, packed[0])}, true, nil
}

// optional reads a YAML or JSON file that a chart may lack.
func optional(ctx context.Context, left *budget.Budget, from source, name string) ([]byte, error) {
	text, err := from.files.read(ctx, left, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = left.YAML(name, text)
	}
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", from.place, err)
	}
	return text, nil
}
