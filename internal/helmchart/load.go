package helmchart

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"gitops-runtime/internal/fileerror"
)

const fileScheme = "file://"

// Whole reads the chart at path: a directory, a .tgz archive, or
// "oci://host/path[:version]" in a registry. A dependency that is neither in
// charts/ nor reachable by its file:// repository is an error that names it.
func Whole(ctx context.Context, path string, registries Registry) (*chart.Chart, error) {
	if InRegistry(path) {
		return pull(ctx, registries, path)
	}
	if strings.Contains(path, "://") {
		return nil, fmt.Errorf("chart %s: a chart is a directory, an archive or an oci:// reference; fetch this one with `helm pull` first", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("chart %s cannot be read: %s", path, fileerror.Reason(err))
	}
	if !info.IsDir() {
		loaded, err := loader.LoadFile(path)
		if err != nil {
			return nil, fmt.Errorf("chart archive %s cannot be read: %w", path, err)
		}
		return loaded, requireDependencies(path, loaded)
	}
	return loadDir(path, nil)
}

// loadDir loads one directory; trail holds the directories being loaded, to
// end a circle of file:// dependencies with a sentence.
func loadDir(dir string, trail []string) (*chart.Chart, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", dir, err)
	}
	for _, seen := range trail {
		if seen == absolute {
			return nil, fmt.Errorf("chart %s depends on itself by way of %s; remove one of the file:// dependencies", absolute, strings.Join(trail, " -> "))
		}
	}
	loaded, err := loader.LoadDir(absolute)
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
		child, err := loadDir(from, append(trail, absolute))
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
	if err := measured(path, loaded); err != nil {
		return err
	}
	for _, dependency := range loaded.Metadata.Dependencies {
		if !has(loaded, dependency.Name) {
			return fmt.Errorf("chart %s needs its dependency %s %s from %s; run `helm dependency build %s` first",
				path, dependency.Name, dependency.Version, dependency.Repository, path)
		}
	}
	return nil
}
