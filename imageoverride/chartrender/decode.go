package chartrender

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Literal is a scalar that is not a string, as written in the manifest.
type Literal string

// Limits of one manifest; those of Kubernetes are far lower.
const (
	maxDepth = 200
	maxNodes = 2_000_000
	maxText  = maxOutput + 8<<20
)

// Decode reads the documents of a YAML text. If a map has a duplicate key, the last one counts, as with Helm. Strings become string, all other
// scalars Literal.
func Decode(text string) ([]any, error) {
	parts, _, err := decode(text)
	return parts, err
}

// Duplicate is a key that occurs more than once in a map of a manifest.
type Duplicate struct {
	Key string
	// Line counts from the first line of the manifest.
	Line int
}

func decode(text string) ([]any, []Duplicate, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var parts []any
	var duplicates []Duplicate
	for {
		var root yaml.Node
		err := decoder.Decode(&root)
		if errors.Is(err, io.EOF) {
			return parts, duplicates, nil
		}
		if err != nil {
			return nil, nil, err
		}
		c := converter{}
		part, err := c.convert(&root, 0)
		if err != nil {
			return nil, nil, err
		}
		parts, duplicates = append(parts, part), append(duplicates, c.duplicates...)
	}
}

type converter struct {
	nodes, bytes int
	duplicates   []Duplicate
}

func (c *converter) convert(node *yaml.Node, depth int) (any, error) {
	if c.nodes++; c.nodes > maxNodes {
		return nil, fmt.Errorf("it contains more than %d values after its aliases are expanded", maxNodes)
	}
	if c.bytes += len(node.Value); c.bytes > maxText {
		return nil, fmt.Errorf("it contains more than %d MiB of text after its aliases are expanded", maxText>>20)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("line %d is nested more than %d levels deep", node.Line, maxDepth)
	}
	switch node.Kind {
	case yaml.DocumentNode:
		if len(node.Content) == 0 {
			return nil, nil
		}
		return c.convert(node.Content[0], depth)
	case yaml.AliasNode:
		return c.convert(node.Alias, depth+1)
	case yaml.MappingNode:
		return c.mapping(node, depth)
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, child := range node.Content {
			item, err := c.convert(child, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, nil
	}
	switch node.ShortTag() {
	case "!!str", "!!timestamp":
		return node.Value, nil
	case "!!null":
		return nil, nil
	}
	return Literal(node.Value), nil
}

func (c *converter) mapping(node *yaml.Node, depth int) (any, error) {
	m := make(map[string]any, len(node.Content)/2)
	var merged []map[string]any
	for i := 0; i+1 < len(node.Content); i += 2 {
		value, err := c.convert(node.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if node.Content[i].ShortTag() == "!!merge" {
			merged = append(merged, mergedMaps(value)...)
			continue
		}
		key, err := c.convert(node.Content[i], depth+1)
		if err != nil {
			return nil, err
		}
		if _, exists := m[keyText(key)]; exists {
			c.duplicates = append(c.duplicates, Duplicate{keyText(key), node.Content[i].Line})
		}
		m[keyText(key)] = value
	}
	for _, below := range merged {
		for key, value := range below {
			if _, exists := m[key]; !exists {
				m[key] = value
			}
		}
	}
	return m, nil
}

func keyText(key any) string {
	switch typed := key.(type) {
	case string:
		return typed
	case nil:
		return "null"
	}
	return fmt.Sprint(key)
}

// mergedMaps returns the maps that a merge key refers to.
func mergedMaps(value any) []map[string]any {
	switch typed := value.(type) {
	case map[string]any:
		return []map[string]any{typed}
	case []any:
		var all []map[string]any
		for _, item := range typed {
			all = append(all, mergedMaps(item)...)
		}
		return all
	}
	return nil
}
