package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gitops-runtime/internal/dropped"
)

// refuse makes the schema reject each dropped value with a message: the only valid value is the sentence with what to do, which Helm prints with the
// path. A default of the chart that it comes from is accepted, too, since a copy of that chart's values.yaml contains it; validate-values then warns.
func refuse(node Node, values []dropped.Value, defaults []Default) error {
	for _, value := range values {
		at := node
		for i, key := range value.Path {
			if err := expand(at, node); err != nil {
				return fmt.Errorf("dropped value %s: %w", value.Path, err)
			}
			properties, ok := at["properties"].(Node)
			if !ok {
				return fmt.Errorf("dropped value %s: %s has no keys of its own", value.Path, value.Path[:i])
			}
			if i == len(value.Path)-1 {
				if current, ok := properties[key].(Node); ok && value.List {
					if err := expand(current, node); err != nil {
						return fmt.Errorf("dropped value %s: %w", value.Path, err)
					}
					refuseList(current, value.Sentence())
					break
				}
				properties[key] = refusal(value, defaults)
				break
			}
			if properties[key] == nil {
				properties[key] = Node{"type": "object", "properties": Node{}, "additionalProperties": false}
			}
			at, _ = properties[key].(Node)
		}
	}
	return nil
}

// refuseList makes the schema of a value reject lists, with a message, and accept an empty one. The condition keeps the message alone in Helm's output.
func refuseList(node Node, message string) {
	kinds, _ := node["type"].([]any)
	if !slices.Contains(kinds, any("array")) {
		node["type"] = append(slices.Clone(kinds), "array")
	}
	node["if"], node["then"] = Node{"type": "array", "minItems": 1}, leafRefusal(message)
}

// refusal returns the schema of a dropped value.
func refusal(value dropped.Value, defaults []Default) Node {
	message := value.Sentence()
	if value.Harmless {
		return Node{"description": message}
	}
	schema := leafRefusal(message)
	for _, each := range defaults {
		if !each.Path.Within(value.Path) {
			continue
		}
		at := schema
		for _, key := range each.Path[len(value.Path):] {
			at = within(at, key, message)
		}
		if isImage(each.Path) {
			clear(at)
			at["type"] = []any{"string", "null"}
			continue
		}
		if _, table := at["properties"]; !table && each.Value != nil {
			allow(at, each.Value)
		}
	}
	schema["description"] = message
	return schema
}

// isImage reports whether a value is part of an image, which differs between versions.
func isImage(path dropped.Path) bool {
	return len(path) > 1 && path[len(path)-2] == "image"
}

// leafRefusal returns a schema that accepts only a message.
func leafRefusal(message string) Node { return Node{"const": message} }

// allow adds a value to those that a rejection accepts. For an empty map, and for a list of scalars, it accepts the type and rejects other content: Helm
// prints the sentence of an enum only if all of its values are scalars.
func allow(node Node, value any) {
	message, only := node["const"].(string)
	switch held := value.(type) {
	case map[string]any:
		if only && len(held) == 0 {
			clear(node)
			node["type"], node["additionalProperties"] = []any{"object", "null"}, leafRefusal(message)
			return
		}
	case []any:
		if only && !slices.ContainsFunc(held, isCollection) {
			clear(node)
			node["type"], node["items"] = []any{"array", "null"}, leafRefusal(message)
			for _, one := range held {
				allow(node["items"].(Node), one)
			}
			return
		}
	}
	if node["type"] != nil {
		return // already accepts an empty map or list
	}
	if only {
		delete(node, "const")
		node["enum"] = []any{message}
	}
	accepted, _ := node["enum"].([]any)
	if !slices.ContainsFunc(accepted, func(known any) bool { return reflect.DeepEqual(known, value) }) {
		node["enum"] = append(accepted, value)
	}
}

func isCollection(value any) bool {
	kind := reflect.TypeOf(value)
	return kind != nil && (kind.Kind() == reflect.Map || kind.Kind() == reflect.Slice)
}

// within turns a rejection into one of a map and returns the rejection of a key in it.
func within(node Node, key, message string) Node {
	properties, table := node["properties"].(Node)
	if !table {
		properties = Node{}
		clear(node)
		node["type"], node["properties"], node["additionalProperties"] = []any{"object", "null"}, properties, leafRefusal(message)
	}
	if properties[key] == nil {
		properties[key] = leafRefusal(message)
	}
	return properties[key].(Node)
}

// expand replaces the reference in at with a copy of the definition, so that at can differ from other nodes that refer to it.
func expand(at, root Node) error {
	reference, refers := at["$ref"].(string)
	if !refers {
		return nil
	}
	shared, _ := root["definitions"].(Node)
	definition, _ := shared[strings.TrimPrefix(reference, local)].(Node)
	delete(at, "$ref")
	return merge(at, definition)
}
