package compat

import (
	"maps"
	"slices"

	"gitops-runtime/internal/dropped"
)

// Text is a place in a chart's values that accepts any string: a value, an item of a list, or an entry of a map.
type Text struct {
	Path dropped.Path
	kind string // of the value: array or object; empty for a string
}

// with returns the value of the place for a string.
func (t Text) with(text string) any {
	switch t.kind {
	case "array":
		return []any{text}
	case "object":
		return map[string]any{"awkward": text}
	}
	return text
}

// String returns the place as it appears in tables.
func (t Text) String() string {
	return t.Path.String() + map[string]string{"array": "[]", "object": ".awkward"}[t.kind]
}

// Texts returns the places in a chart's values, without those of its dependencies, that accept any string.
func (c *Chart) Texts() []Text {
	var all []Text
	var walk func(values map[string]any, path dropped.Path)
	walk = func(values map[string]any, path dropped.Path) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			at := append(slices.Clone(path), key)
			if len(path) == 0 && (c.dependency(key) || key == "extraObjects") { // extraObjects are templates
				continue
			}
			node := c.nodeAt(at)
			below, isMap := values[key].(map[string]any)
			_, isList := values[key].([]any)
			_, isText := values[key].(string)
			nothing := values[key] == nil
			switch {
			case isText, nothing && mayBeText(node):
				all = append(all, Text{Path: at})
			case isMap && len(below) == 0 && entries(node), nothing && slices.Contains(types(node), "object") && entries(node):
				all = append(all, Text{Path: at, kind: "object"})
			case isList && items(node), nothing && items(node):
				all = append(all, Text{Path: at, kind: "array"})
			}
			walk(below, at)
		}
	}
	walk(c.chart.Values, nil)
	return all
}

func mayBeText(node map[string]any) bool { return slices.Contains(types(node), "string") }

// entries reports whether a map accepts a string under any key.
func entries(node map[string]any) bool {
	each, declared := node["additionalProperties"].(map[string]any)
	return node["properties"] == nil && (!declared || mayBeText(each))
}

// items reports whether a list accepts a string as an item.
func items(node map[string]any) bool {
	each, _ := node["items"].(map[string]any)
	return mayBeText(each)
}
