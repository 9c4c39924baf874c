package chartrender

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
)

// enabledCharts returns the chart with the dependencies that values enable. Finding them costs as much as rendering, and depends on few values: those
// that conditions and tags name. Therefore results are cached by these values.
type enabledCharts struct {
	chart *chart.Chart
	// conditions are the paths of all conditions from the root, their keys joined; above are their parent paths.
	conditions, above map[string]bool
	known             map[string]*chart.Chart
}

func newEnabledCharts(c *chart.Chart) *enabledCharts {
	e := &enabledCharts{chart: c, conditions: map[string]bool{}, above: map[string]bool{}, known: map[string]*chart.Chart{}}
	e.find(c, nil)
	return e
}

// find records the conditions of a chart whose values are at a path.
func (e *enabledCharts) find(c *chart.Chart, at []string) {
	names := map[string][]string{}
	for _, dependency := range c.Metadata.Dependencies {
		if dependency == nil {
			continue
		}
		for _, condition := range strings.Split(strings.TrimSpace(dependency.Condition), ",") {
			path := append(slices.Clone(at), strings.Split(condition, ".")...)
			e.conditions[join(path)] = true
			for i := range path {
				e.above[join(path[:i])] = true
			}
		}
		name := dependency.Name
		if dependency.Alias != "" {
			name = dependency.Alias
		}
		names[dependency.Name] = append(names[dependency.Name], name)
	}
	for _, child := range c.Dependencies() {
		if names[child.Name()] == nil {
			names[child.Name()] = []string{child.Name()}
		}
		for _, name := range names[child.Name()] {
			e.find(child, append(slices.Clone(at), name))
		}
	}
}

func join(keys []string) string { return strings.Join(keys, "\n") }

// switches reports whether a leaf is what a condition looks at, or is above or below it.
func (e *enabledCharts) switches(path helmvalues.Path) bool {
	var keys []string
	for _, step := range path {
		keys = append(keys, step.Key)
		if e.conditions[join(keys)] {
			return true
		}
	}
	return e.above[join(keys)]
}

// of returns the chart for a user's values. It must not be changed.
func (e *enabledCharts) of(user map[string]any) (*chart.Chart, error) {
	key, err := e.key(user)
	if err != nil {
		return nil, err
	}
	if known, ok := e.known[key]; ok {
		return known, nil
	}
	prepared := helmrender.Copy(e.chart)
	if err := chartutil.ProcessDependenciesWithMerge(prepared, helmvalues.CopyTree(user)); err != nil {
		return nil, fmt.Errorf("dependencies of chart %s: %w", e.chart.Name(), err)
	}
	e.known[key] = prepared
	return prepared, nil
}

// key serializes the values that conditions and tags may read, and those that replace whole branches.
func (e *enabledCharts) key(user map[string]any) (string, error) {
	var parts []string
	for _, leaf := range helmvalues.Leaves(user) {
		tagged := len(leaf.Path) > 1 && leaf.Path[len(leaf.Path)-2].Key == "tags"
		if leaf.Value != nil && !tagged && !e.switches(leaf.Path) {
			continue
		}
		value, err := json.Marshal(leaf.Value)
		if err != nil {
			return "", fmt.Errorf("value %s: %w", leaf.Path, err)
		}
		parts = append(parts, leaf.Path.String()+"="+string(value))
	}
	sort.Strings(parts)
	return strings.Join(parts, "\n"), nil
}
