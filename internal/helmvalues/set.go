package helmvalues

import (
	"fmt"
)

// Set writes a value into user, the tree that a user passes to Helm. Missing maps on the path are created. Since Helm replaces lists as a whole, a list
// on the path is first copied from coalesced, the tree that templates see.
func Set(user, coalesced map[string]any, path Path, value any) error {
	node := user
	for i, step := range path {
		if step.Key == "" {
			return fmt.Errorf("value path %s starts with a list", path)
		}
		if i == len(path)-1 {
			node[step.Key] = value
			return nil
		}
		if path[i+1].Key == "" {
			return setInList(node, step.Key, coalesced, path, i+1, value)
		}
		next, ok := asPlain(node[step.Key]).(map[string]any)
		if !ok {
			next = map[string]any{}
		}
		node[step.Key] = next
		node = next
	}
	return nil
}

// setInList replaces node[key] with a copy of the list at path[:at], unless it is already a copy, and sets the value in it.
func setInList(node map[string]any, key string, coalesced map[string]any, path Path, at int, value any) error {
	whole, found := Get(coalesced, path[:at])
	list, ok := whole.([]any)
	if !found || !ok {
		return fmt.Errorf("value %s is not a list", path[:at])
	}
	own, ok := node[key].([]any)
	if !ok || len(own) != len(list) {
		own, _ = Copy(list).([]any)
		node[key] = own
	}
	var current any = own
	for i := at; i < len(path)-1; i++ {
		current = child(current, path[i])
	}
	last := path[len(path)-1]
	switch parent := current.(type) {
	case map[string]any:
		parent[last.Key] = value
	case []any:
		if last.Key != "" || last.Index >= len(parent) {
			return fmt.Errorf("value %s does not exist", path)
		}
		parent[last.Index] = value
	default:
		return fmt.Errorf("value %s does not exist", path)
	}
	return nil
}

func child(node any, step Step) any {
	switch typed := node.(type) {
	case map[string]any:
		return typed[step.Key]
	case []any:
		if step.Key == "" && step.Index < len(typed) {
			return typed[step.Index]
		}
	}
	return nil
}

// Copy returns a node of a tree with copies of its maps and lists, so that a change to one tree is not seen in another.
func Copy(node any) any {
	switch typed := asPlain(node).(type) {
	case map[string]any:
		out := make(map[string]any, len(typed))
		for key, item := range typed {
			out[key] = Copy(item)
		}
		return out
	case []any:
		out := make([]any, len(typed))
		for i, item := range typed {
			out[i] = Copy(item)
		}
		return out
	}
	return node
}

// CopyTree copies a tree; a nil tree becomes an empty one.
func CopyTree(tree map[string]any) map[string]any {
	copied, ok := Copy(tree).(map[string]any)
	if !ok || copied == nil {
		return map[string]any{}
	}
	return copied
}

// Merge merges over into base as Helm merges values files: maps are merged, everything else is replaced. Neither argument is changed.
func Merge(base, over map[string]any) map[string]any {
	merged := CopyTree(base)
	for key, value := range over {
		below, ok := asPlain(merged[key]).(map[string]any)
		above, okAbove := asPlain(value).(map[string]any)
		if ok && okAbove {
			merged[key] = Merge(below, above)
			continue
		}
		merged[key] = Copy(value)
	}
	return merged
}

// AsMap returns a node as a plain map, and whether it is a map.
func AsMap(node any) (map[string]any, bool) {
	m, ok := asPlain(node).(map[string]any)
	return m, ok
}

// asPlain converts Helm's named map type.
func asPlain(node any) any {
	if named, ok := node.(interface{ AsMap() map[string]any }); ok {
		return named.AsMap()
	}
	return node
}
