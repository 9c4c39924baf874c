// Package emit writes the output files: values, lists and the mirror table. The
// output is deterministic.
package emit

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Values writes a tree of values as YAML with sorted keys and quoted strings, below a heading. Comments of an earlier version of the file are copied to
// the keys that still exist; earlier may be nil.
func Values(tree map[string]any, heading string, earlier []byte) ([]byte, error) {
	root, err := node(tree)
	if err != nil {
		return nil, err
	}
	document := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}
	document.HeadComment = heading
	if len(earlier) > 0 {
		var old yaml.Node
		if err := yaml.Unmarshal(earlier, &old); err != nil {
			return nil, fmt.Errorf("the earlier version is not valid YAML; move it away: %w", err)
		}
		if len(old.Content) == 1 {
			copyComments(old.Content[0], root)
		}
	}
	text, err := YAML(document)
	if err != nil {
		return nil, fmt.Errorf("write values: %w", err)
	}
	return text, nil
}

// YAML writes a value or a node as YAML with an indent of two spaces.
func YAML(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode YAML: %w", err)
	}
	return out.Bytes(), nil
}

// node creates a YAML node whose strings are quoted, so that a tag such as 1.20 is never read as a number.
func node(value any) (*yaml.Node, error) {
	switch typed := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(typed))
		m := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range keys {
			child, err := node(typed[key])
			if err != nil {
				return nil, err
			}
			m.Content = append(m.Content, keyNode(key), child)
		}
		return m, nil
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range typed {
			child, err := node(item)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, child)
		}
		return list, nil
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: typed}, nil
	case float64:
		if typed == float64(int64(typed)) {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(int64(typed), 10)}, nil
		}
	}
	var scalar yaml.Node
	if err := scalar.Encode(value); err != nil {
		return nil, fmt.Errorf("write value %v: %w", value, err)
	}
	return &scalar, nil
}

// booleans matches strings that Helm's YAML parser reads as booleans, unlike YAML 1.2.
var booleans = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off)$`)

func keyNode(key string) *yaml.Node {
	var name yaml.Node
	name.SetString(key)
	if booleans.MatchString(key) {
		name.Style = yaml.DoubleQuotedStyle
	}
	return &name
}

// copyComments copies comments between nodes at the same path.
func copyComments(from, to *yaml.Node) {
	if from.Kind != to.Kind {
		return
	}
	if to.HeadComment == "" {
		to.HeadComment = from.HeadComment
	}
	to.LineComment, to.FootComment = from.LineComment, from.FootComment
	switch to.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(to.Content); i += 2 {
			for j := 0; j+1 < len(from.Content); j += 2 {
				if from.Content[j].Value == to.Content[i].Value {
					copyComments(from.Content[j], to.Content[i])
					copyComments(from.Content[j+1], to.Content[i+1])
				}
			}
		}
	case yaml.SequenceNode:
		for i := 0; i < len(to.Content) && i < len(from.Content); i++ {
			copyComments(from.Content[i], to.Content[i])
		}
	}
}
