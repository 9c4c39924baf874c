package render

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/imageoverride/values"
)

// enabledCharts gives the chart with the dependencies that values enable. To
// find them costs as much as to render, and it depends on few values: those that
// conditions and tags name. So what was found is kept by these values.
type enabledCharts struct {
	chart *chart.Chart
	// last are the last keys of all conditions.
	last  map[string]bool
	known map[string]*chart.Chart
}

func newEnabledCharts(c *chart.Chart) *enabledCharts {
	e := &enabledCharts{chart: c, last: map[string]bool{}, known: map[string]*chart.Chart{}}
	e.conditions(c)
	return e
}

func (e *enabledCharts) conditions(c *chart.Chart) {
	for _, dependency := range c.Metadata.Dependencies {
		if dependency == nil {
			continue
		}
		for _, condition := range strings.Split(strings.TrimSpace(dependency.Condition), ",") {
			e.last[condition[strings.LastIndex(condition, ".")+1:]] = true
		}
	}
	for _, child := range c.Dependencies() {
		e.conditions(child)
	}
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
	prepared := clone(e.chart)
	if err := chartutil.ProcessDependenciesWithMerge(prepared, values.CopyTree(user)); err != nil {
		return nil, fmt.Errorf("dependencies of chart %s: %w", e.chart.Name(), err)
	}
	e.known[key] = prepared
	return prepared, nil
}

// key writes down the values that conditions and tags may look at, and those
// that take whole branches away.
func (e *enabledCharts) key(user map[string]any) (string, error) {
	var parts []string
	for _, leaf := range values.Leaves(user) {
		tagged := len(leaf.Path) > 1 && leaf.Path[len(leaf.Path)-2].Key == "tags"
		if leaf.Value != nil && !tagged && !e.last[leaf.Path.Key()] {
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
