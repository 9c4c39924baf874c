package helmchart

import (
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// Chart contains the parts of a loaded chart that values are checked with, but not its templates.
type Chart struct {
	// Name is the key of the chart in the values of its parent: its alias, if it has one.
	Name string
	// Title is the name in Chart.yaml.
	Title      string
	Version    string
	AppVersion string
	// Defaults is values.yaml as a tree, shared with the loaded chart.
	Defaults map[string]any
	// Schema is values.schema.json, nil if the chart has none.
	Schema []byte
	// Dependencies are in the order of Chart.yaml; those that Chart.yaml does not list, which Helm always enables, are last.
	Dependencies []Dependency
}

// Dependency is a subchart with the conditions that enable it.
type Dependency struct {
	*Chart
	// Condition is a comma-separated list of value paths, of which the first one that contains a bool decides; empty means always enabled.
	Condition string
}

// Of returns the parts of a loaded chart that values are checked with.
func Of(loaded *chart.Chart) *Chart {
	parts := &Chart{
		Name: loaded.Name(), Title: loaded.Name(), Version: loaded.Metadata.Version, AppVersion: loaded.AppVersion(),
		Defaults: loaded.Values, Schema: loaded.Schema,
	}
	if parts.Defaults == nil {
		parts.Defaults = map[string]any{}
	}
	listed := map[string]bool{}
	for _, wanted := range loaded.Metadata.Dependencies {
		listed[wanted.Name] = true
		if child := dependencyOf(loaded, wanted.Name); child != nil {
			below := Of(child)
			if wanted.Alias != "" {
				below.Name = wanted.Alias
			}
			parts.Dependencies = append(parts.Dependencies, Dependency{Chart: below, Condition: wanted.Condition})
		}
	}
	first := len(parts.Dependencies)
	for _, child := range loaded.Dependencies() {
		if !listed[child.Name()] {
			parts.Dependencies = append(parts.Dependencies, Dependency{Chart: Of(child)})
		}
	}
	slices.SortFunc(parts.Dependencies[first:], func(a, b Dependency) int { return strings.Compare(a.Name, b.Name) })
	return parts
}
