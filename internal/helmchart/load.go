package helmchart

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/fileerror"
)

const fileScheme = "file://"

// Whole reads the chart at path: a directory, a .tgz archive, or
// "oci://host/path[:version]" in a registry, with all that it depends on within
// one budget. A dependency that is neither in charts/ nor reachable by its
// file:// repository is an error that names it.
func Whole(ctx context.Context, path string, registries Registry) (*chart.Chart, error) {
	left := budget.New(budget.Default())
	if InRegistry(path) {
		return pull(ctx, left, registries, path)
	}
	if strings.Contains(path, "://") {
		return nil, fmt.Errorf("chart %s: a chart is a directory, an archive or an oci:// reference; fetch this one with `helm pull` first", cleantext.URL(path))
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("chart %s cannot be read: %s", path, fileerror.Reason(err))
	}
	if info.IsDir() {
		return loadDir(ctx, left, path, nil)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("chart %s cannot be read: it is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("chart %s cannot be read: %s", path, fileerror.Reason(err))
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

// loadArchive makes a chart of a packed one.
func loadArchive(ctx context.Context, left *budget.Budget, data []byte) (*chart.Chart, error) {
	r := &fileReader{ctx: ctx, left: left}
	if err := r.unpack(data, ""); err != nil {
		return nil, err
	}
	return r.chart()
}

// loadDir loads one directory; trail holds the directories being loaded, to
// end a circle of file:// dependencies with a sentence.
func loadDir(ctx context.Context, left *budget.Budget, dir string, trail []string) (*chart.Chart, error) {
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
	r := &fileReader{ctx: ctx, left: left}
	err = r.folderOf(absolute)
	var loaded *chart.Chart
	if err == nil {
		loaded, err = r.chart()
	}
	if err != nil {
		return nil, fmt.Errorf("chart directory %s cannot be read: %w", dir, err)
	}
	for _, dependency := range loaded.Metadata.Dependencies {
		if has(loaded, dependency.Name) || !strings.HasPrefix(dependency.Repository, fileScheme) {
			continue
		}
		from := strings.TrimPrefix(dependency.Repository, fileScheme)
		if !filepath.IsAbs(from) {
			from = filepath.Join(absolute, from)
		}
		child, err := loadDir(ctx, left, from, append(trail, absolute))
		if err != nil {
			return nil, fmt.Errorf("dependency %s of %s: %w", dependency.Name, dir, err)
		}
		loaded.AddDependency(child)
	}
	return loaded, requireDependencies(dir, loaded)
}

func has(parent *chart.Chart, name string) bool {
	for _, child := range parent.Dependencies() {
		if child.Name() == name {
			return true
		}
	}
	return false
}

func requireDependencies(path string, loaded *chart.Chart) error {
	for _, dependency := range loaded.Metadata.Dependencies {
		if !has(loaded, dependency.Name) {
			return fmt.Errorf("chart %s needs its dependency %s %s from %s; run `helm dependency build %s` first",
				path, dependency.Name, dependency.Version, cleantext.URL(dependency.Repository), path)
		}
	}
	return nil
}
