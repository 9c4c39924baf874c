package compat

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"gitops-runtime/schema/dropped"
)

// Empties are the values of a chart that are not empty by default, without those of the charts it depends on, each with what is empty of its
// type: 0, false, "" or [].
func (c *Chart) Empties() []Value {
	var all []Value
	var walk func(values map[string]any, path dropped.Path)
	walk = func(values map[string]any, path dropped.Path) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			at := append(slices.Clone(path), key)
			if len(path) == 0 && c.dependency(key) {
				continue
			}
			if below, isMap := values[key].(map[string]any); isMap {
				walk(below, at)
			} else if empty := emptyOf(values[key]); empty != nil {
				all = append(all, Value{Path: at, Default: empty})
			}
		}
	}
	walk(c.chart.Values, nil)
	return all
}

// emptyOf is what is empty of the type of a value; nil where the value is empty itself.
func emptyOf(value any) any {
	switch at := value.(type) {
	case bool:
		if at {
			return false
		}
	case float64:
		if at != 0 {
			return 0
		}
	case string:
		if at != "" {
			return ""
		}
	case []any:
		if len(at) > 0 {
			return []any{}
		}
	}
	return nil
}

// EmptyReasons say why an empty value changes nothing, by path.
func EmptyReasons(chart string) (map[string]string, error) {
	text, err := data.ReadFile("fixtures/" + chart + "-empty.yaml")
	if err != nil {
		return nil, fmt.Errorf("read why empty values of %s change nothing: %w", chart, err)
	}
	byReason := map[string][]string{}
	if err := yaml.UnmarshalStrict(text, &byReason); err != nil {
		return nil, fmt.Errorf("why empty values of %s change nothing: %w", chart, err)
	}
	reasons := map[string]string{}
	for reason, paths := range byReason {
		for _, path := range paths {
			reasons[path] = reason
		}
	}
	return reasons, nil
}

// emptySettings are those of the values that are not empty by default, with the values that their default counts in around them.
func (p *Prover) emptySettings(known map[string]Row) (settings []setting, order []string, err error) {
	for _, value := range p.Chart.Empties() {
		made := setting{key: value.Path.String(), path: value.Path, to: value.Default, around: p.Fixture.Around(value.Path), part: p.Chart.part(value.Path)}
		// a fixture that says the value itself would be overruled
		current, err := p.Chart.Value(made.around, value.Path)
		if err != nil {
			return nil, nil, err
		}
		if emptyOf(current) == nil {
			continue
		}
		to, err := toText(made.to)
		if err != nil {
			return nil, nil, err
		}
		if row := known[made.key]; row.To == to {
			made.known = row
		}
		settings, order = append(settings, made), append(order, made.key)
	}
	return settings, order, nil
}
