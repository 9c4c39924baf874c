package helmvalues

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Duplicate is a key that a YAML map contains more than once. Helm uses the last one.
type Duplicate struct {
	// Path is the path of the key, Line the line of its repetition, and First the line of its first occurrence.
	Path        string
	Line, First int
}

// String describes the problem, without the file's name.
func (d Duplicate) String() string {
	return fmt.Sprintf("line %d: key %s is also on line %d; Helm uses the last one", d.Line, d.Path, d.First)
}

// Duplicates returns the keys that maps of a values file contain more than once; none if the text is not valid YAML.
func Duplicates(text []byte) []Duplicate {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil {
		return nil
	}
	var all []Duplicate
	findDuplicates(&root, nil, &all)
	return all
}

func findDuplicates(node *yaml.Node, path Path, all *[]Duplicate) {
	switch node.Kind {
	case yaml.DocumentNode:
		for _, child := range node.Content {
			findDuplicates(child, path, all)
		}
	case yaml.SequenceNode:
		for i, child := range node.Content {
			findDuplicates(child, extend(path, Step{Index: i}), all)
		}
	case yaml.MappingNode:
		first := map[string]int{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			below := extend(path, Step{Key: key.Value})
			if line, again := first[key.Value]; again && key.ShortTag() != "!!merge" {
				*all = append(*all, Duplicate{Path: below.String(), Line: key.Line, First: line})
			} else {
				first[key.Value] = key.Line
			}
			findDuplicates(node.Content[i+1], below, all)
		}
	}
}
