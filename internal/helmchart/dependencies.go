package helmchart

import (
	"fmt"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/cleantext"
)

// dependencyOf returns the chart of that name among the dependencies of a chart, nil if there is none.
func dependencyOf(of *chart.Chart, name string) *chart.Chart {
	for _, child := range of.Dependencies() {
		if child.Name() == name {
			return child
		}
	}
	return nil
}

// requireDependencies returns an error that names a missing dependency, and how to get it.
func requireDependencies(path string, loaded *chart.Chart) error {
	for _, dependency := range loaded.Metadata.Dependencies {
		if dependencyOf(loaded, dependency.Name) == nil {
			return fmt.Errorf("chart %s needs its dependency %s %s from %s; run `helm dependency build %s` first",
				path, dependency.Name, dependency.Version, cleantext.URL(dependency.Repository), path)
		}
	}
	return nil
}

// countAliases counts a chart that is listed under several names once for each name: it is read once, but its values are merged for every name.
func countAliases(left *budget.Budget, loaded *chart.Chart, again bool) error {
	if again {
		for _, file := range loaded.Raw {
			if file.Name != "Chart.yaml" && file.Name != "values.yaml" {
				continue
			}
			if err := left.YAML(file.Name+" of the dependency "+loaded.Name(), file.Data); err != nil {
				return err
			}
		}
	}
	seen := map[string]bool{}
	for _, listed := range loaded.Metadata.Dependencies {
		if child := dependencyOf(loaded, listed.Name); child != nil {
			if err := countAliases(left, child, again || seen[listed.Name]); err != nil {
				return err
			}
		}
		seen[listed.Name] = true
	}
	return nil
}
