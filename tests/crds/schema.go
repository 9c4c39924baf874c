package crds

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// schema returns the OpenAPI schema of a version. A path's parent sorts before it or is missing, which is an error:
// an API server prunes what the schema of a parent does not name.
func (v *version) schema() (map[string]any, error) {
	top := map[string]any{"type": "object", "properties": map[string]any{
		"apiVersion": map[string]any{"type": "string"},
		"kind":       map[string]any{"type": "string"},
		"metadata":   map[string]any{"type": "object"},
	}}
	byPath := map[string]map[string]any{"": top}
	for _, path := range slices.Sorted(maps.Keys(v.schemas)) {
		row := v.schemas[path]
		node, required, err := parse(row.value)
		if err != nil {
			return nil, fmt.Errorf("row %d: %s: %w", row.row, path, err)
		}
		if err := attach(byPath, path, node, required); err != nil {
			return nil, fmt.Errorf("row %d: %w", row.row, err)
		}
		byPath[path] = node
	}
	return top, nil
}

// attach adds the schema of a path to that of its parent.
func attach(byPath map[string]map[string]any, path string, node map[string]any, required bool) error {
	var parent, name, keyword string
	switch {
	case strings.HasSuffix(path, "[]"):
		parent, keyword = strings.TrimSuffix(path, "[]"), "items"
	case strings.HasSuffix(path, "{}"):
		parent, keyword = strings.TrimSuffix(path, "{}"), "additionalProperties"
	default:
		dot := strings.LastIndex(path, ".")
		parent, name = path[:max(dot, 0)], path[dot+1:]
	}
	above := byPath[parent]
	if above == nil {
		return fmt.Errorf("%s has no parent", path)
	}
	if keyword != "" {
		above[keyword] = node
		return nil
	}
	properties, _ := above["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
		above["properties"] = properties
	}
	properties[name] = node
	if required {
		list, _ := above["required"].([]any)
		above["required"] = append(list, name)
	}
	return nil
}

// parse reads the description of a schema, such as "type=string required enum=In|NotIn", and whether the property is required. A rule of the Common
// Expression Language contains spaces, and is last.
func parse(text string) (node map[string]any, required bool, err error) {
	node = map[string]any{}
	text, rule, hasRule := strings.Cut(text, " cel=")
	if hasRule {
		if strings.Contains(rule, " cel=") {
			return nil, false, fmt.Errorf("more than one cel in %q", rule)
		}
		node["x-kubernetes-validations"] = []any{map[string]any{"rule": rule}}
	}
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case word == "required":
			required = true
		case word == "preserve-unknown":
			node["x-kubernetes-preserve-unknown-fields"] = true
		case word == "type=int-or-string":
			node["x-kubernetes-int-or-string"] = true
			node["anyOf"] = []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
		case key == "enum":
			if node[key], err = allTyped(node["type"], strings.Split(value, "|")); err != nil {
				return nil, false, err
			}
		case key == "nullable":
			node[key] = value == "true"
		case slices.Contains([]string{"type", "format", "pattern"}, key):
			node[key] = value
		case slices.Contains([]string{"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}, key):
			if node[key], err = strconv.Atoi(value); err != nil {
				return nil, false, fmt.Errorf("read %s: %w", key, err)
			}
		case key == "default":
			if node[key], err = typed(node["type"], value); err != nil {
				return nil, false, err
			}
		default:
			return nil, false, fmt.Errorf("unknown keyword %q", word)
		}
	}
	if node["type"] == nil && node["x-kubernetes-int-or-string"] == nil {
		return nil, false, fmt.Errorf("no type in %q", text)
	}
	return node, required, nil
}

// typed returns a default or an allowed value in the type of its schema.
func typed(kind any, value string) (any, error) {
	switch kind {
	case "string":
		return value, nil
	case "integer":
		number, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("read the value: %w", err)
		}
		return number, nil
	case "boolean":
		truth, err := strconv.ParseBool(value)
		if err != nil {
			return nil, fmt.Errorf("read the value: %w", err)
		}
		return truth, nil
	}
	return nil, fmt.Errorf("a value of type %v is not supported", kind)
}

func allTyped(kind any, values []string) ([]any, error) {
	list := make([]any, 0, len(values))
	for _, value := range values {
		one, err := typed(kind, value)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}
