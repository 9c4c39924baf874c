package schema

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// definitions are the shared schemas that a `# @schema $ref: name` note refers to by the name of
// their file without its ending.
type definitions map[string]Node

func readDefinitions(files fs.FS) (definitions, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, fmt.Errorf("list the shared definitions: %w", err)
	}
	found := definitions{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read a shared definition: %w", err)
		}
		var node Node
		if err := json.Unmarshal(text, &node); err != nil {
			return nil, fmt.Errorf("shared definition %s: %w", name, err)
		}
		found[strings.TrimSuffix(path.Base(name), ".json")] = node
	}
	return found, nil
}

// inline replaces each reference to a shared definition in node by the definition itself. What the
// values say beside the reference wins, property by property.
//
// Plain references would do for a validator of draft 2019-09 or later, but Helm before 3.18 has an
// older one, in which a reference excludes everything beside it.
func (d definitions) inline(node Node) error { return d.walk(node, nil) }

func (d definitions) walk(node Node, open []string) error {
	outer, said := open, refers(node)
	if reference, ok := node["$ref"].(string); ok {
		name := strings.TrimSuffix(strings.TrimPrefix(reference, "./"), ".json")
		definition, known := d[name]
		if !known {
			return fmt.Errorf("$ref: %s is no shared definition; there are %s", reference,
				strings.Join(slices.Sorted(maps.Keys(d)), ", "))
		}
		if slices.Contains(open, name) {
			return fmt.Errorf("shared definition %s refers to itself", name)
		}
		open = append(slices.Clone(open), name)
		delete(node, "$ref")
		if node["additionalProperties"] == false {
			delete(node, "additionalProperties") // the converter's default; the definition knows better
		}
		if err := merge(node, definition); err != nil {
			return fmt.Errorf("$ref: %s: %w", reference, err)
		}
	}
	return eachChild(node, func(key string, child Node) error {
		within := open
		if said[key] { // by the values, not by a definition: a component may have another within
			within = outer
		}
		if err := d.walk(child, within); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
}

// refers are the properties of a node that refer to a definition.
func refers(node Node) map[string]bool {
	found := map[string]bool{}
	properties, _ := node["properties"].(Node)
	for key, value := range properties {
		child, isNode := value.(Node)
		found[key] = isNode && child["$ref"] != nil
	}
	return found
}

// merge adds to node what it lacks of base, without sharing memory with it.
func merge(node, base Node) error {
	text, err := json.Marshal(base)
	if err != nil {
		return fmt.Errorf("copy a definition: %w", err)
	}
	var fresh Node
	if err := json.Unmarshal(text, &fresh); err != nil {
		return fmt.Errorf("copy a definition: %w", err)
	}
	fill(node, fresh)
	return nil
}

func fill(node, base Node) {
	for key, value := range base {
		own, present := node[key]
		if !present {
			node[key] = value
			continue
		}
		ownNode, isNode := own.(Node)
		baseNode, isBase := value.(Node)
		if isNode && isBase {
			fill(ownNode, baseNode)
		}
	}
}
