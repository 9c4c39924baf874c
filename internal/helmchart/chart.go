package helmchart

import (
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// Chart is what values are checked by: a loaded chart without its templates, under
// the names by which values address it.
type Chart struct {
	// Name is the name under which the parent's values address it (an alias
	// where there is one).
	Name string
	// Title is the name in Chart.yaml.
	Title      string
	Version    string
	AppVersion string
	// Defaults is values.yaml as a tree, shared with the loaded chart.
	Defaults map[string]any
	// Schema is values.schema.json, nil if the chart has none.
	Schema []byte
	// Dependencies in the order of Chart.yaml; those that Chart.yaml does not
	// list, which Helm always enables, are last.
	Dependencies []Dependency
}

// Dependency is a subchart with the conditions that enable it.
type Dependency struct {
	*Chart
	// Condition is a comma-separated list of value paths, the first one that
	// exists decides; empty means always on.
	Condition string
}

// Of is a loaded chart without its templates.
func Of(loaded *chart.Chart) *Chart {
	made := &Chart{
		Name: loaded.Name(), Title: loaded.Name(), Version: loaded.Metadata.Version, AppVersion: loaded.AppVersion(),
		Defaults: loaded.Values, Schema: loaded.Schema,
	}
	if made.Defaults == nil {
		made.Defaults = map[string]any{}
	}
	listed := map[string]bool{}
	for _, wanted := range loaded.Metadata.Dependencies {
		listed[wanted.Name] = true
		if child := dependencyOf(loaded, wanted.Name); child != nil {
			below := Of(child)
			if wanted.Alias != "" {
				below.Name = wanted.Alias
			}
			made.Dependencies = append(made.Dependencies, Dependency{Chart: below, Condition: wanted.Condition})
		}
	}
	first := len(made.Dependencies)
	for _, child := range loaded.Dependencies() {
		if !listed[child.Name()] {
			made.Dependencies = append(made.Dependencies, Dependency{Chart: Of(child)})
		}
	}
	slices.SortFunc(made.Dependencies[first:], func(a, b Dependency) int { return strings.Compare(a.Name, b.Name) })
	return made
}
