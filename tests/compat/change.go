package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// change returns a value of a type that differs from current and that the schema node allows. It contains a word if its type allows it.
func change(kind string, current any, node map[string]any, word string) (any, error) {
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
		if isQuantity(node) {
			return "7Gi", nil
		}
		return word, nil
	case "array", "object":
		return sample(node, kind, word)
	}
	return nil, fmt.Errorf("no other value known for type %q: set one in the fixture", kind)
}

// other returns an option that is neither empty nor current.
func other(options []any, current any) (any, error) {
	for _, option := range options {
		if option != nil && option != "" && option != current {
			return option, nil
		}
	}
	return nil, fmt.Errorf("the schema allows only %v", current)
}

// sample returns a value of a type that contains a word and that the schema node allows.
func sample(node map[string]any, kind, word string) (any, error) {
	if choices, ok := node["anyOf"].([]any); ok {
		for _, choice := range choices {
			if slices.Contains(types(choice.(map[string]any)), kind) {
				return sample(choice.(map[string]any), kind, word)
			}
		}
	}
	switch kind {
	case "array":
		items, _ := node["items"].(map[string]any)
		if options, ok := items["enum"].([]any); ok {
			item, err := other(options, nil)
			return []any{item}, err
		}
		item, err := sample(items, itemType(items), word)
		return []any{item}, err
	case "object":
		return object(node, word)
	case "integer", "number":
		return 1, nil
	case "boolean":
		return true, nil
	}
	if isQuantity(node) {
		return "7Gi", nil
	}
	return word, nil
}

// isQuantity reports whether a schema node describes numbers with a unit.
func isQuantity(node map[string]any) bool {
	return node["pattern"] != nil && slices.Contains(types(node), "number")
}

// itemType returns the type of a list's items: object where the schema node allows it or names no type.
func itemType(items map[string]any) string {
	if kinds := types(items); len(kinds) > 0 && !slices.Contains(kinds, "object") {
		return writtenType(items)
	}
	return "object"
}

// object returns an object with the required fields of the schema node; without required fields, with name or a string field.
func object(node map[string]any, word string) (any, error) {
	properties, _ := node["properties"].(map[string]any)
	if len(properties) == 0 {
		values, _ := node["additionalProperties"].(map[string]any)
		value, err := sample(values, writtenType(values), word)
		if node["properties"] == nil && node["additionalProperties"] == nil && node["maxProperties"] == nil {
			return map[string]any{"name": word}, nil
		}
		return map[string]any{word: value}, err
	}
	var keys []string
	required, _ := node["required"].([]any)
	for _, key := range required {
		keys = append(keys, key.(string))
	}
	if len(keys) == 0 {
		keys = []string{preferred(properties)}
	}
	created := map[string]any{}
	for _, key := range keys {
		field, _ := properties[key].(map[string]any)
		value, err := sample(field, writtenType(field), word)
		if err != nil {
			return nil, err
		}
		created[key] = value
	}
	return created, nil
}

func preferred(properties map[string]any) string {
	if _, named := properties["name"]; named {
		return "name"
	}
	keys := slices.Sorted(maps.Keys(properties))
	for _, key := range keys {
		field, _ := properties[key].(map[string]any)
		if field["enum"] == nil && slices.Contains(types(field), "string") && !slices.Contains(types(field), "integer") && !slices.Contains(types(field), "boolean") {
			return key
		}
	}
	return keys[0]
}

// writtenType returns the first type of a schema node that is not null.
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

// nodeAt returns the schema node of a path in a schema without references; it is empty where any value is allowed.
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

// resolve replaces the references in a schema with their definitions, which are shared and must not be changed.
func resolve(root map[string]any) {
	definitions, _ := root["definitions"].(map[string]any)
	done := map[string]bool{}
	var walk func(node any) any
	walk = func(node any) any {
		switch at := node.(type) {
		case map[string]any:
			if reference, ok := at["$ref"].(string); ok {
				name := strings.TrimPrefix(reference, "#/definitions/")
				if !done[name] {
					done[name] = true
					definitions[name] = walk(definitions[name])
				}
				return definitions[name]
			}
			for key, value := range at {
				at[key] = walk(value)
			}
		case []any:
			for i, value := range at {
				at[i] = walk(value)
			}
		}
		return node
	}
	walk(root)
}
