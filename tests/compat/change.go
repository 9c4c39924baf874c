package compat

import (
	"fmt"
	"slices"
)

// change returns another value than current of a type, one that the schema node allows.
func change(kind string, current any, node map[string]any) (any, error) {
	if options, ok := node["enum"].([]any); ok {
		return other(options, current)
	}
	if kind == "null" {
		kind = writtenType(node)
	}
	switch kind {
	case "boolean":
		return current != true, nil
	case "integer", "number":
		if number, ok := current.(float64); ok {
			return number + 1, nil
		}
		return 1, nil
	case "string":
		return "changed", nil
	case "array":
		return list(node)
	case "object":
		return map[string]any{"changed": "changed"}, nil
	}
	return nil, fmt.Errorf("a value of type %q cannot be changed by itself: name one in the fixture", kind)
}

// other returns an option that differs from current and says something.
func other(options []any, current any) (any, error) {
	for _, option := range options {
		if option != nil && option != "" && option != current {
			return option, nil
		}
	}
	return nil, fmt.Errorf("the schema allows nothing but %v", current)
}

// list returns a list of one item that the schema node allows.
func list(node map[string]any) (any, error) {
	items, _ := node["items"].(map[string]any)
	if options, ok := items["enum"].([]any); ok {
		item, err := other(options, nil)
		return []any{item}, err
	}
	if slices.Contains(types(items), "string") && !slices.Contains(types(items), "object") {
		return []any{"changed"}, nil
	}
	return []any{map[string]any{"name": "changed"}}, nil
}

// writtenType returns the type a schema node names first besides null.
func writtenType(node map[string]any) string {
	for _, kind := range types(node) {
		if kind != "null" {
			return kind
		}
	}
	return "string"
}

func types(node map[string]any) []string {
	switch kind := node["type"].(type) {
	case string:
		return []string{kind}
	case []any:
		var kinds []string
		for _, each := range kind {
			kinds = append(kinds, fmt.Sprint(each))
		}
		return kinds
	}
	return nil
}

// nodeAt returns the schema node of a path; empty where anything goes.
func nodeAt(node map[string]any, path []string) map[string]any {
	for _, key := range path {
		properties, _ := node["properties"].(map[string]any)
		next, ok := properties[key].(map[string]any)
		if !ok {
			next, ok = node["additionalProperties"].(map[string]any)
		}
		if !ok {
			return map[string]any{}
		}
		node = next
	}
	return node
}
