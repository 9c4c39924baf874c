package helmrender

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmvalues"
)

// maxEnabled limits how many sets of enabled dependencies a Chart caches.
const maxEnabled = 64

// Chart is a chart that is rendered many times; it is safe for concurrent use. It never changes the chart that it was created from.
// Finding the dependencies that values enable costs Helm as much as rendering, and depends on few values: those that
// conditions and tags name. Therefore results are cached by these values.
type Chart struct {
	chart *chart.Chart
	// conditions are the paths of all conditions from the root, their keys joined; above are their parent paths.
	conditions, above map[string]bool

	mu    sync.Mutex
	known map[string]*chart.Chart
}

// New creates a Chart from a chart, which must not be changed afterwards.
func New(of *chart.Chart) *Chart {
	c := &Chart{chart: of, conditions: map[string]bool{}, above: map[string]bool{}, known: map[string]*chart.Chart{}}
	c.find(of, nil)
	return c
}

// find records the conditions of a chart whose values are at a path.
func (c *Chart) find(of *chart.Chart, at []string) {
	names := map[string][]string{}
	for _, dependency := range of.Metadata.Dependencies {
		if dependency == nil {
			continue
		}
		for _, condition := range strings.Split(strings.TrimSpace(dependency.Condition), ",") {
			path := append(slices.Clone(at), strings.Split(condition, ".")...)
			c.conditions[join(path)] = true
			for i := range path {
				c.above[join(path[:i])] = true
			}
		}
		name := dependency.Name
		if dependency.Alias != "" {
			name = dependency.Alias
		}
		names[dependency.Name] = append(names[dependency.Name], name)
	}
	for _, child := range of.Dependencies() {
		if names[child.Name()] == nil {
			names[child.Name()] = []string{child.Name()}
		}
		for _, name := range names[child.Name()] {
			below := append(slices.Clone(at), name)
			c.above[join(below)] = true // the value at this path may not be a map
			c.find(child, below)
		}
	}
}

func join(keys []string) string { return strings.Join(keys, "\n") }

// switches reports whether a condition reads a leaf, or a value above or below it.
func (c *Chart) switches(path helmvalues.Path) bool {
	var keys []string
	for _, step := range path {
		keys = append(keys, step.Key)
		if c.conditions[join(keys)] {
			return true
		}
	}
	return c.above[join(keys)]
}

// Enabled returns the chart with the dependencies that values enable, and the values that they import. The result must not be changed; the values are
// not changed.
func (c *Chart) Enabled(values map[string]any) (*chart.Chart, error) {
	key, err := c.key(values)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	known, ok := c.known[key]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	prepared := clone(c.chart)
	if err := chartutil.ProcessDependenciesWithMerge(prepared, helmvalues.CopyTree(values)); err != nil {
		return nil, fmt.Errorf("dependencies of chart %s: %w", c.chart.Name(), err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxEnabled {
		clear(c.known)
	}
	c.known[key] = prepared
	return prepared, nil
}

// key serializes the values that conditions and tags may read.
func (c *Chart) key(values map[string]any) (string, error) {
	var parts []string
	for _, leaf := range helmvalues.Leaves(values) {
		tagged := len(leaf.Path) > 1 && leaf.Path[len(leaf.Path)-2].Key == "tags"
		if !tagged && !c.switches(leaf.Path) {
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
