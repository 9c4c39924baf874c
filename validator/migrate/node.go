package migrate

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/internal/dropped"
)

// maxDepth limits a walk, because an anchor can contain itself.
const maxDepth = 100

// find returns the key and the content at a path; nil if there is none. Content from an alias or a merge key on the path is copied to where it is used,
// so that a change there does not affect other places.
func find(node *yaml.Node, path dropped.Path) (key, content *yaml.Node) {
	for _, name := range path {
		if node == nil || node.Kind != yaml.MappingNode {
			return nil, nil
		}
		if at := position(node, name); at < 0 && merges(node, name) {
			inlineMerges(node)
		}
		at := position(node, name)
		if at < 0 {
			return nil, nil
		}
		key, content = node.Content[at], node.Content[at+1]
		if content.Kind == yaml.AliasNode && len(path) > 1 {
			content = clone(content.Alias, 0)
			content.Anchor = ""
			node.Content[at+1] = content
		}
		node = content
	}
	return key, content
}

// position returns the index of a key in a map, -1 if the map does not have it.
func position(node *yaml.Node, name string) int {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name && node.Content[i].Tag != "!!merge" {
			return i
		}
	}
	return -1
}

// merges reports whether a merge key of a map adds a key.
func merges(node *yaml.Node, name string) bool {
	for _, from := range mergedMaps(node) {
		if position(from, name) >= 0 {
			return true
		}
	}
	return false
}

// mergedMaps returns the maps that the merge keys of a map add.
func mergedMaps(node *yaml.Node) []*yaml.Node {
	var found []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Tag != "!!merge" {
			continue
		}
		from := []*yaml.Node{node.Content[i+1]}
		if from[0].Kind == yaml.SequenceNode {
			from = from[0].Content
		}
		for _, one := range from {
			if one.Kind == yaml.AliasNode {
				one = one.Alias
			}
			if one.Kind == yaml.MappingNode {
				found = append(found, one)
			}
		}
	}
	return found
}

// inlineMerges replaces the merge keys of a map with the keys that they add; existing keys take precedence, then those of earlier maps.
func inlineMerges(node *yaml.Node) {
	from := mergedMaps(node)
	var content []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Tag != "!!merge" {
			content = append(content, node.Content[i], node.Content[i+1])
		}
	}
	node.Content = content
	for _, one := range from {
		for i := 0; i+1 < len(one.Content); i += 2 {
			if position(node, one.Content[i].Value) < 0 {
				value := clone(one.Content[i+1], 0)
				value.Anchor = ""
				node.Content = append(node.Content, clone(one.Content[i], 0), value)
			}
		}
	}
}

// clone copies a node; aliases in it stay aliases.
func clone(node *yaml.Node, depth int) *yaml.Node {
	copied := *node
	copied.Content = nil
	if depth < maxDepth {
		for _, child := range node.Content {
			copied.Content = append(copied.Content, clone(child, depth+1))
		}
	}
	return &copied
}

// remove removes the value at a path, and parent maps that become empty.
func remove(node *yaml.Node, path dropped.Path) {
	at := position(node, path[0])
	if at < 0 {
		return
	}
	if len(path) > 1 {
		remove(node.Content[at+1], path[1:])
		if len(node.Content[at+1].Content) > 0 {
			return
		}
	}
	node.Content = append(node.Content[:at:at], node.Content[at+2:]...)
}

// insert adds a value at a path; its key keeps the comments of the old key. Values that are set there stay: it returns their paths, and whether it added
// anything.
func insert(root *yaml.Node, path dropped.Path, key, content *yaml.Node) (kept []dropped.Path, added bool) {
	node, above := root, []*yaml.Node{root}
	for _, name := range path[:len(path)-1] {
		node = mapBelow(node, name)
		above = append(above, node)
	}
	name := path[len(path)-1]
	if merges(node, name) {
		inlineMerges(node)
	}
	at := position(node, name)
	if at < 0 {
		renamed := *key
		renamed.Value, renamed.Tag, renamed.Style = name, "", 0
		for _, each := range above {
			each.Style &^= yaml.FlowStyle
		}
		node.Content = append(node.Content, &renamed, content)
		return nil, true
	}
	switch existing := resolved(node.Content[at+1]); {
	case existing.Tag == "!!null":
		node.Content[at+1] = content
		return nil, true
	case existing.Kind != yaml.MappingNode || resolved(content).Kind != yaml.MappingNode:
		return []dropped.Path{path}, false
	}
	from := resolved(content)
	inlineMerges(from)
	for i := 0; i+1 < len(from.Content); i += 2 {
		one, more := insert(root, append(slices.Clone(path), from.Content[i].Value), from.Content[i], from.Content[i+1])
		kept, added = append(kept, one...), added || more
	}
	return kept, added
}

// resolved returns the node that an alias stands for.
func resolved(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// mapBelow returns the map under a key, which it creates if there is none.
func mapBelow(node *yaml.Node, name string) *yaml.Node {
	if merges(node, name) {
		inlineMerges(node)
	}
	at := position(node, name)
	if at < 0 {
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, &yaml.Node{Kind: yaml.MappingNode})
		at = len(node.Content) - 2
	}
	below := node.Content[at+1]
	if below.Kind != yaml.MappingNode { // null, or an alias
		replacement := &yaml.Node{Kind: yaml.MappingNode}
		if below.Kind == yaml.AliasNode {
			replacement = clone(below.Alias, 0)
			replacement.Anchor = ""
		}
		node.Content[at+1] = replacement
		below = replacement
	}
	return below
}

// keepAnchors keeps removed anchors that are still used: the first alias elsewhere becomes the anchored value itself.
func keepAnchors(root, removed *yaml.Node) {
	within := map[*yaml.Node]bool{}
	var note func(node *yaml.Node)
	note = func(node *yaml.Node) {
		within[node] = true
		for _, child := range node.Content {
			note(child)
		}
	}
	note(removed)
	moved := map[*yaml.Node]*yaml.Node{}
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		if within[node] {
			return
		}
		for i, child := range node.Content {
			if child.Kind != yaml.AliasNode || !within[child.Alias] {
				walk(child)
				continue
			}
			if known := moved[child.Alias]; known != nil {
				child.Alias = known
				continue
			}
			copied := clone(child.Alias, 0)
			copied.HeadComment, copied.LineComment, copied.FootComment = child.HeadComment, child.LineComment, child.FootComment
			moved[child.Alias], node.Content[i] = copied, copied
			walk(copied)
		}
	}
	walk(root)
}

// leaves returns the paths of the values that are not maps, or are empty maps.
func leaves(node *yaml.Node, path dropped.Path, depth int) []dropped.Path {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 || depth > maxDepth {
		return []dropped.Path{path}
	}
	var all []dropped.Path
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Tag == "!!merge" {
			continue
		}
		below := append(append(dropped.Path{}, path...), node.Content[i].Value)
		all = append(all, leaves(node.Content[i+1], below, depth+1)...)
	}
	return all
}

// compactLists reports whether the items of lists are written at the indentation of their key.
func compactLists(node *yaml.Node) bool {
	if node.Kind == yaml.MappingNode && node.Style&yaml.FlowStyle == 0 {
		for i := 0; i+1 < len(node.Content); i += 2 {
			list := node.Content[i+1]
			if list.Kind == yaml.SequenceNode && list.Style&yaml.FlowStyle == 0 && len(list.Content) > 0 && list.Line > node.Content[i].Line {
				return list.Column == node.Content[i].Column
			}
		}
	}
	for _, child := range node.Content {
		if compactLists(child) {
			return true
		}
	}
	return false
}
