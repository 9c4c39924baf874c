package compat

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/dropped"
)

// Empties returns the values of a chart, without its dependencies, whose default is not empty, each with the empty value of its type: 0, false,
// "" or [].
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

// emptyOf returns the empty value of a value's type, or nil if the value is empty.
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

// EmptyReasons returns, by path, why an empty value changes nothing.
func EmptyReasons(chart string) (map[string]string, error) {
	text, err := data.ReadFile("fixtures/" + chart + "-empty.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the reasons for empty values of %s: %w", chart, err)
	}
	byReason := map[string][]string{}
	if err := yaml.UnmarshalStrict(text, &byReason); err != nil {
		return nil, fmt.Errorf("reasons for empty values of %s: %w", chart, err)
	}
	reasons := map[string]string{}
	for reason, paths := range byReason {
		for _, path := range paths {
			reasons[path] = reason
		}
	}
	return reasons, nil
}
