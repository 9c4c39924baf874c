package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gitops-runtime/schema/dropped"
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

// refusal is the schema of a dropped value.
func refusal(value dropped.Value, defaults []Default) Node {
	said := value.Sentence()
	if value.Harmless {
		return Node{"description": said}
	}
	made := leafRefusal(said)
	for _, each := range defaults {
		if !each.Path.Within(value.Path) {
			continue
		}
		at := made
		for _, key := range each.Path[len(value.Path):] {
			at = within(at, key, said)
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
	made["description"] = said
	return made
}

// isImage reports whether a value is of an image, which differs between versions.
func isImage(path dropped.Path) bool {
	return len(path) > 1 && path[len(path)-2] == "image"
}

// leafRefusal accepts only a sentence.
func leafRefusal(said string) Node { return Node{"const": said} }

// allow adds a value to those that a rejection accepts. For an empty map, and for a list of scalars, it accepts the type and rejects other content: Helm
// prints the sentence of an enum only if all of its values are scalars.
func allow(node Node, value any) {
	said, only := node["const"].(string)
	switch held := value.(type) {
	case map[string]any:
		if only && len(held) == 0 {
			clear(node)
			node["type"], node["additionalProperties"] = []any{"object", "null"}, leafRefusal(said)
			return
		}
	case []any:
		if only && !slices.ContainsFunc(held, isCollection) {
			clear(node)
			node["type"], node["items"] = []any{"array", "null"}, leafRefusal(said)
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
		node["enum"] = []any{said}
	}
	taken, _ := node["enum"].([]any)
	if !slices.ContainsFunc(taken, func(known any) bool { return reflect.DeepEqual(known, value) }) {
		node["enum"] = append(taken, value)
	}
}

func isCollection(value any) bool {
	kind := reflect.TypeOf(value)
	return kind != nil && (kind.Kind() == reflect.Map || kind.Kind() == reflect.Slice)
}

// within turns a rejection into one of a map and returns the rejection of a key in it.
func within(node Node, key, said string) Node {
	properties, table := node["properties"].(Node)
	if !table {
		properties = Node{}
		clear(node)
		node["type"], node["properties"], node["additionalProperties"] = []any{"object", "null"}, properties, leafRefusal(said)
	}
	if properties[key] == nil {
		properties[key] = leafRefusal(said)
	}
	return properties[key].(Node)
}

// expand puts a copy of the definition in place of a reference to it in at, which then differs from the others that refer to it.
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
