package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
		if isQuantity(node) {
			return "7Gi", nil
		}
		return "changed", nil
	case "array", "object":
		return sample(node, kind, "changed")
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

// sample returns a value of a type with a word in it that the schema node allows.
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

// isQuantity tells whether a schema node is of texts that are numbers with a unit.
func isQuantity(node map[string]any) bool {
	return node["pattern"] != nil && slices.Contains(types(node), "number")
}

// itemType is an object where the schema node says nothing of items or lets them be one.
func itemType(items map[string]any) string {
	if kinds := types(items); len(kinds) > 0 && !slices.Contains(kinds, "object") {
		return writtenType(items)
	}
	return "object"
}

// object returns an object with the fields that the schema node asks for, or with one; name and what is a text are preferred.
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
	made := map[string]any{}
	for _, key := range keys {
		field, _ := properties[key].(map[string]any)
		value, err := sample(field, writtenType(field), word)
		if err != nil {
			return nil, err
		}
		made[key] = value
	}
	return made, nil
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

// nodeAt returns the schema node of a path in a schema without references; empty where anything goes.
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

// resolve puts the definitions of a schema in place of the references to them. They are shared, and must not be changed.
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
