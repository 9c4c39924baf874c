// Package helmchart loads Helm charts within a budget: Load reads a whole chart as Helm would install it, and Of returns the parts that values are
// checked with. It does not know how to contact registries, which a Registry does, or what values mean.
package helmchart

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/outfile"
)

const fileScheme = "file://"

// Source is where a chart is loaded from.
type Source struct {
	// Name is a directory, a packaged chart (.tgz), or a chart in a registry,
	// oci://host/path or oci://host/path:version.
	Name string
	// Version is the version to pull of a Name without one; if both are empty, the newest release is pulled.
	Version string
	// Registry pulls a chart from a registry; it may be nil if Name is not in a registry.
	Registry Registry
	// Files contains the files of the chart by their paths in it, with those of its dependencies under charts/. If it is set, nothing is read from
	// Name, which only appears in errors.
	Files map[string][]byte
	// FollowLinks also reads what links in a chart's directory point to outside of it.
	FollowLinks bool
}

// Load reads a chart with all its dependencies within one budget, as Helm would install it: a dependency is the chart in charts/, unpacked or packed;
// if it does not exist there, it is read from its file:// repository, as `helm dependency build` would do. A dependency that is in neither place is
// an error that names it.
func Load(ctx context.Context, from Source) (*chart.Chart, error) {
	return load(ctx, budget.New(budget.Default()), from)
}

func load(ctx context.Context, left *budget.Budget, from Source) (*chart.Chart, error) {
	loaded, err := read(ctx, left, from)
	if err != nil {
		return nil, err
	}
	if err := countAliases(left, loaded, false); err != nil {
		return nil, fmt.Errorf("chart %s: %w", from.Name, err)
	}
	return loaded, nil
}

func read(ctx context.Context, left *budget.Budget, from Source) (*chart.Chart, error) {
	switch {
	case from.Files != nil:
		return loadFiles(ctx, left, from)
	case InRegistry(from.Name):
		return pull(ctx, left, from)
	case strings.Contains(from.Name, "://"):
		return nil, fmt.Errorf("chart %s: a chart is a directory, a .tgz file or an oci:// reference; fetch this one with `helm pull` first", cleantext.URL(from.Name))
	}
	info, err := os.Stat(from.Name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("chart %s cannot be read: %s", from.Name, outfile.Reason(err))
	case info.IsDir():
		return loadDir(ctx, left, from, nil)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("chart %s cannot be read: it is not a regular file", from.Name)
	}
	return loadFile(ctx, left, from.Name)
}

// loadFile loads a packaged chart.
func loadFile(ctx context.Context, left *budget.Budget, path string) (*chart.Chart, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("chart %s cannot be read: %s", path, outfile.Reason(err))
	}
	defer func() { _ = file.Close() }()
	data, err := left.Read(ctx, path, file)
	if err != nil {
		return nil, fmt.Errorf("chart %w", err)
	}
	loaded, err := loadArchive(ctx, left, data)
	if err != nil {
		return nil, fmt.Errorf("chart archive %s cannot be read: %w", path, err)
	}
	return loaded, requireDependencies(path, loaded)
}

// loadArchive loads a packed chart.
func loadArchive(ctx context.Context, left *budget.Budget, data []byte) (*chart.Chart, error) {
	r := &fileReader{ctx: ctx, left: left}
	if err := r.unpack(data, ""); err != nil {
		return nil, err
	}
	return r.chart()
}

// loadFiles loads a chart from memory.
func loadFiles(ctx context.Context, left *budget.Budget, from Source) (*chart.Chart, error) {
	r := &fileReader{ctx: ctx, left: left}
	for _, name := range slices.Sorted(maps.Keys(from.Files)) {
		if err := r.add(name, from.Files[name]); err != nil {
			return nil, fmt.Errorf("chart %s: %w", from.Name, err)
		}
	}
	loaded, err := r.chart()
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", from.Name, err)
	}
	return loaded, requireDependencies(from.Name, loaded)
}

// loadDir loads one directory; trail contains the directories that are being loaded, to report a cycle of file:// dependencies.
func loadDir(ctx context.Context, left *budget.Budget, source Source, trail []string) (*chart.Chart, error) {
	dir := source.Name
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", dir, err)
	}
	if slices.Contains(trail, absolute) {
		return nil, fmt.Errorf("chart %s depends on itself by way of %s; remove one of the file:// dependencies", absolute, strings.Join(trail, " -> "))
	}
	if left, err = left.Enter(absolute); err != nil {
		return nil, fmt.Errorf("chart %w", err)
	}
	r := &fileReader{ctx: ctx, left: left, follow: source.FollowLinks}
	err = r.folderOf(absolute)
	var loaded *chart.Chart
	if err == nil {
		loaded, err = r.chart()
	}
	if err != nil {
		return nil, fmt.Errorf("chart directory %s cannot be read: %w", dir, err)
	}
	for _, dependency := range loaded.Metadata.Dependencies {
		if dependencyOf(loaded, dependency.Name) != nil || !strings.HasPrefix(dependency.Repository, fileScheme) {
			continue
		}
		from := strings.TrimPrefix(dependency.Repository, fileScheme)
		if !filepath.IsAbs(from) {
			from = filepath.Join(absolute, from)
		}
		child, err := loadDir(ctx, left, Source{Name: from, FollowLinks: source.FollowLinks}, append(trail, absolute))
		if err != nil {
			return nil, fmt.Errorf("dependency %s of %s: %w", dependency.Name, dir, err)
		}
		loaded.AddDependency(child)
	}
	return loaded, requireDependencies(dir, loaded)
}
