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

// definitions are the shared schemas that a `# @schema $ref: name` annotation refers to by the name of their file without its extension, and those of
// Kubernetes, which they refer to by kubernetesPrefix and the name of the type.
type definitions map[string]Node

// local is the prefix of references to definitions in the same schema.
const local = "#/definitions/"

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

// linker resolves the references of one schema. A node that contains only a reference keeps it, and the schema contains the definition once. If a
// node contains more, the definition is merged into it, and the values take precedence, property by property: a validator before draft 2019-09, as in
// Helm before 3.18, ignores everything next to a reference.
type linker struct {
	shared definitions
	used   Node
}

// link resolves the references in node and adds the definitions that they refer to.
func (d definitions) link(node Node) error {
	l := &linker{shared: d, used: Node{}}
	if err := l.walk(node, nil); err != nil {
		return err
	}
	if len(l.used) > 0 {
		node["definitions"] = l.used
	}
	return nil
}

func (l *linker) walk(node Node, open []string) error {
	shapeByKey(node)
	outer, referring := open, refers(node)
	for {
		reference, ok := node["$ref"].(string)
		if !ok || strings.HasPrefix(reference, local) {
			break
		}
		name := strings.TrimSuffix(strings.TrimPrefix(reference, "./"), ".json")
		definition, known := l.shared[name]
		if !known {
			return fmt.Errorf("$ref: %s is not a shared definition; the shared definitions are %s", reference, l.names())
		}
		if !saysMore(node) {
			return l.keep(node, name)
		}
		if slices.Contains(open, name) {
			return fmt.Errorf("shared definition %s refers to itself", name)
		}
		open = append(slices.Clone(open), name)
		if err := absorb(node, definition); err != nil {
			return fmt.Errorf("$ref: %s: %w", reference, err)
		}
	}
	return eachChild(node, func(key string, child Node) error {
		within := open
		if referring[key] { // in the values, not in a definition: a component may contain another
			within = outer
		}
		if err := l.walk(child, within); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
}

// names returns the names of the definitions that an annotation may refer to.
func (l *linker) names() string {
	own := slices.DeleteFunc(slices.Sorted(maps.Keys(l.shared)), func(name string) bool { return strings.HasPrefix(name, kubernetesPrefix) })
	return strings.Join(own, ", ")
}

// saysMore reports whether a node contains more than its reference and its description. A map without defaults does not restrict its keys.
func saysMore(node Node) bool {
	properties, _ := node["properties"].(Node)
	return len(properties) > 0 || node["additionalProperties"] == true
}

// absorb replaces the reference in node with the definition.
func absorb(node, definition Node) error {
	delete(node, "$ref")
	if node["additionalProperties"] == false {
		delete(node, "additionalProperties") // the converter's default; the definition takes precedence
	}
	return merge(node, definition)
}

// keep reduces node to its reference and description, and adds the definition to the schema.
func (l *linker) keep(node Node, name string) error {
	description, described := node["description"]
	clear(node)
	if described {
		node["description"] = description
	}
	title := strings.TrimPrefix(name, kubernetesPrefix)
	node["$ref"] = local + title
	if _, done := l.used[title]; done {
		return nil
	}
	copied := Node{}
	l.used[title] = copied
	if err := merge(copied, l.shared[name]); err != nil {
		return fmt.Errorf("shared definition %s: %w", name, err)
	}
	for { // a definition may extend another
		further, extends := copied["$ref"].(string)
		if !extends {
			break
		}
		base, known := l.shared[further]
		if !known {
			return fmt.Errorf("shared definition %s: there is no %s", name, further)
		}
		delete(copied, "$ref")
		if err := merge(copied, base); err != nil {
			return fmt.Errorf("shared definition %s: %w", name, err)
		}
	}
	return l.walk(copied, []string{name})
}

// refers reports which properties of a node refer to a definition.
func refers(node Node) map[string]bool {
	found := map[string]bool{}
	properties, _ := node["properties"].(Node)
	for key, value := range properties {
		child, isNode := value.(Node)
		found[key] = isNode && child["$ref"] != nil
	}
	return found
}

// merge adds the parts of base that node lacks, without sharing memory with base.
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

// fill adds the parts of base that node lacks. A reference stands for a whole node.
func fill(node, base Node) {
	for key, value := range base {
		own, present := node[key]
		if !present {
			node[key] = value
			continue
		}
		ownNode, isNode := own.(Node)
		baseNode, isBase := value.(Node)
		if isNode && isBase && ownNode["$ref"] == nil && !otherwise(ownNode, baseNode) {
			fill(ownNode, baseNode)
		}
	}
}

// otherwise reports whether a node differs from the reference that it would be filled from: a string, or a value of several types.
func otherwise(node, base Node) bool {
	kinds := typesOf(node)
	return base["$ref"] != nil && (slices.Contains(kinds, "string") || len(kinds) == 0 && len(node) > 0)
}
