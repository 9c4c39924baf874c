package helmvalues

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Step is one step into a tree: a key of a map, or an index of a list if Key is empty.
type Step struct {
	Key   string
	Index int
}

// Path is the path from the root of a tree to a node.
type Path []Step

// String formats a path for --set: dots inside keys are escaped.
func (p Path) String() string {
	var text strings.Builder
	for i, step := range p {
		if step.Key == "" {
			fmt.Fprintf(&text, "[%d]", step.Index)
			continue
		}
		if i > 0 {
			text.WriteByte('.')
		}
		text.WriteString(strings.ReplaceAll(step.Key, ".", `\.`))
	}
	return text.String()
}

// Key returns the last key of the path and ignores list indexes; "" if there is no key.
func (p Path) Key() string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Key != "" {
			return p[i].Key
		}
	}
	return ""
}

// Leaf is a scalar in a tree of values.
type Leaf struct {
	Path  Path
	Value any
}

// Text returns the scalar as templates print it; false for null.
func (l Leaf) Text() (string, bool) {
	switch value := l.Value.(type) {
	case nil:
		return "", false
	case string:
		return value, true
	case float64:
		return fmt.Sprint(value), true
	case int64:
		return strconv.FormatInt(value, 10), true
	default:
		return fmt.Sprint(value), true
	}
}

// Leaves lists the scalars of a tree in the order of their paths. It omits the copies of globals that Helm passes to subcharts, because they are set at
// their source.
func Leaves(tree map[string]any) []Leaf {
	var leaves []Leaf
	walk(tree, nil, func(leaf Leaf) {
		if !handedDown(tree, leaf.Path) {
			leaves = append(leaves, leaf)
		}
	})
	return leaves
}

func walk(node any, path Path, visit func(Leaf)) {
	switch typed := asPlain(node).(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(typed)) {
			walk(typed[key], extend(path, Step{Key: key}), visit)
		}
	case []any:
		for i, item := range typed {
			walk(item, extend(path, Step{Index: i}), visit)
		}
	default:
		visit(Leaf{Path: path, Value: node})
	}
}

// handedDown reports whether a "sub.global.x" leaf also exists as "global.x" of a parent chart.
func handedDown(tree map[string]any, path Path) bool {
	for at := len(path) - 2; at > 0; at-- {
		if path[at].Key != "global" {
			continue
		}
		for up := 0; up < at; up++ {
			if _, found := Get(tree, append(append(Path{}, path[:up]...), path[at:]...)); found {
				return true
			}
		}
	}
	return false
}

// Get returns the node at a path, and whether it exists.
func Get(tree map[string]any, path Path) (any, bool) {
	var node any = tree
	for _, step := range path {
		switch typed := asPlain(node).(type) {
		case map[string]any:
			child, found := typed[step.Key]
			if !found || step.Key == "" {
				return nil, false
			}
			node = child
		case []any:
			if step.Key != "" || step.Index >= len(typed) {
				return nil, false
			}
			node = typed[step.Index]
		default:
			return nil, false
		}
	}
	return node, true
}

func extend(path Path, step Step) Path {
	return append(append(make(Path, 0, len(path)+1), path...), step)
}
