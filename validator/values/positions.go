package values

import (
	"go.yaml.in/yaml/v3"
)

// position is a spot in a YAML text, lines and columns counted from 1.
type position struct{ line, column int }

// positions maps every path of a YAML text to the spot of its key, or of the
// item in a list. Aliases are followed and merge keys resolved: a value that
// comes from an anchor has the anchor's spot. A text that cannot be read gives
// an empty map; whoever loads the text reports that.
func positions(text []byte) map[string]position {
	found := map[string]position{}
	var document yaml.Node
	if yaml.Unmarshal(text, &document) != nil || len(document.Content) == 0 {
		return found
	}
	walk(document.Content[0], "", found, 0)
	return found
}

// maxDepth bounds the walk: an anchor that contains itself has no end.
const maxDepth = 100

func walk(node *yaml.Node, path string, found map[string]position, depth int) {
	if depth > maxDepth {
		return
	}
	switch node.Kind {
	case yaml.AliasNode:
		walk(node.Alias, path, found, depth+1)
	case yaml.MappingNode:
		walkMapping(node, path, found, depth)
	case yaml.SequenceNode:
		for i, item := range node.Content {
			at := Index(path, i)
			found[at] = position{item.Line, item.Column}
			walk(item, at, found, depth+1)
		}
	}
}

// walkMapping visits merged-in mappings first, so that the mapping's own keys
// win, as YAML has it.
func walkMapping(node *yaml.Node, path string, found map[string]position, depth int) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Tag == "!!merge" {
			walkMerge(node.Content[i+1], path, found, depth)
		}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Tag == "!!merge" {
			continue
		}
		at := Join(path, key.Value)
		found[at] = position{key.Line, key.Column}
		walk(node.Content[i+1], at, found, depth+1)
	}
}

// walkMerge visits what a merge key pulls in: one mapping, or a list of them of
// which the first wins.
func walkMerge(node *yaml.Node, path string, found map[string]position, depth int) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.SequenceNode {
		walk(node, path, found, depth+1)
		return
	}
	for i := len(node.Content) - 1; i >= 0; i-- {
		walk(node.Content[i], path, found, depth+1)
	}
}
