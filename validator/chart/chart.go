// Package chart reads what the checks need of a Helm chart on disk: name and
// version, default values, schema, and the charts it depends on.
package chart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"
)

// Chart is a chart without its templates.
type Chart struct {
	// Name is the name under which the parent's values address it (an alias
	// where there is one).
	Name       string
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

// Load reads a chart from a directory or a packaged .tgz file.
func Load(name string) (*Chart, error) {
	info, err := os.Stat(name)
	if strings.Contains(name, "://") {
		return nil, fmt.Errorf("chart %s: a chart is a directory, a .tgz file or an oci:// reference; fetch this one with `helm pull` first", name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("chart %s: there is no such directory or .tgz file", name)
	}
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if info.IsDir() {
		return read(source{files: directory(name), place: name, local: name})
	}
	files, err := unpack(name)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", name, err)
	}
	return read(source{files: files, place: name})
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
	read(name string) ([]byte, error)
	match(pattern string) []string
	below(folder string) tree
}

// directory is a tree on disk.
type directory string

func (d directory) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(d), filepath.FromSlash(name)))
}

func (d directory) match(pattern string) []string {
	names, _ := fs.Glob(os.DirFS(string(d)), pattern)
	return names
}

func (d directory) below(folder string) tree {
	return directory(filepath.Join(string(d), filepath.FromSlash(folder)))
}

func read(from source) (*Chart, error) {
	var meta metadata
	text, err := from.files.read("Chart.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("chart %s is no chart: it has no Chart.yaml", from.place)
	}
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", from.place, err)
	}
	if err := yaml.Unmarshal(text, &meta); err != nil {
		return nil, fmt.Errorf("chart %s: Chart.yaml: %w", from.place, err)
	}
	loaded := &Chart{Name: meta.Name, Version: meta.Version, AppVersion: meta.AppVersion, Defaults: map[string]any{}}
	// Values files are by far the most that there is to read, so they are read side by side.
	var side errgroup.Group
	side.Go(func() error { return loaded.values(from) })
	below, err := dependencies(from, meta.Dependencies)
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
func (c *Chart) values(from source) error {
	text, err := optional(from.files, "values.yaml")
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, &c.Defaults); err != nil {
		return fmt.Errorf("chart %s: values.yaml: %w", from.place, err)
	}
	c.Schema, err = optional(from.files, "values.schema.json")
	return err
}

// dependencies reads the charts below.
func dependencies(from source, wanted []reference) ([]Dependency, error) {
	read := make([]*Dependency, len(wanted))
	var side errgroup.Group
	for i, one := range wanted {
		side.Go(func() (err error) {
			read[i], err = resolve(from, one)
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
func resolve(from source, wanted reference) (*Dependency, error) {
	place, found, err := locate(from, wanted)
	if err != nil || !found {
		return nil, err
	}
	loaded, err := read(place)
	if err != nil {
		return nil, err
	}
	if wanted.Alias != "" {
		loaded.Name = wanted.Alias
	}
	return &Dependency{Chart: loaded, Condition: wanted.Condition}, nil
}

func locate(from source, wanted reference) (source, bool, error) {
	if strings.HasPrefix(wanted.Repository, "file://") && from.local != "" {
		beside := filepath.Join(from.local, strings.TrimPrefix(wanted.Repository, "file://"))
		if _, err := os.Stat(filepath.Join(beside, "Chart.yaml")); err == nil {
			return source{files: directory(beside), place: beside, local: beside}, true, nil
		}
	}
	inside := path.Join("charts", wanted.Name)
	if _, err := from.files.read(path.Join(inside, "Chart.yaml")); err == nil {
		return source{files: from.files.below(inside), place: path.Join(from.place, inside)}, true, nil
	}
	packed := from.files.match(path.Join("charts", wanted.Name+"-[0-9]*.tgz"))
	if len(packed) == 0 {
		return source{}, false, nil
	}
	data, err := from.files.read(packed[0])
	if err != nil {
		return source{}, false, fmt.Errorf("chart %s: %w", from.place, err)
	}
	files, err := untar(data)
	if err != nil {
		return source{}, false, fmt.Errorf("chart %s: %s: %w", from.place, packed[0], err)
	}
	return source{files: files, place: path.Join(from.place, packed[0])}, true, nil
}

func optional(files tree, name string) ([]byte, error) {
	text, err := files.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
