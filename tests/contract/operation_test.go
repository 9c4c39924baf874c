package contract

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// operation is a reversible change of an object.
type operation struct {
	path    string
	removes bool
	apply   func()
	undo    func()
}

// operations returns the removals of every field, item and line of an object, and the changes of every scalar. Names that identify objects are
// unchanged.
func operations(object map[string]any) []operation {
	var all []operation
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch key {
		case "kind":
		case "metadata":
			meta := object[key].(map[string]any)
			for _, key := range []string{"labels", "annotations"} {
				if of, ok := meta[key].(map[string]any); ok {
					all = append(all, below("metadata."+key, of, func(value any) { meta[key] = value })...)
				}
			}
		default:
			all = append(all, below(key, object[key], func(value any) { object[key] = value })...)
		}
	}
	return all
}

// below returns the operations on a value that set replaces.
func below(path string, value any, set func(any)) []operation {
	var all []operation
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "description" {
				continue // of a schema; nothing reads it
			}
			old := v[key]
			all = append(all, operation{path + "." + key, true, func() { delete(v, key) }, func() { v[key] = old }})
			all = append(all, below(path+"."+key, old, func(value any) { v[key] = value })...)
		}
	case []any:
		for i, item := range v {
			at := path + "[" + strconv.Itoa(i) + "]"
			rest := slices.Delete(slices.Clone(v), i, i+1)
			all = append(all, operation{at, true, func() { set(rest) }, func() { set(v) }})
			all = append(all, below(at, item, func(value any) { v[i] = value })...)
		}
	default:
		all = append(all, operation{path, false, func() { set(changed(v)) }, func() { set(v) }})
		if text, ok := v.(string); ok && strings.Contains(strings.TrimSpace(text), "\n") {
			all = append(all, linesOf(path, text, set)...)
		}
	}
	return all
}

// linesOf returns the removals of each line of a text.
func linesOf(path, text string, set func(any)) []operation {
	lines := strings.SplitAfter(text, "\n")
	var all []operation
	for i := range lines {
		rest := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
		all = append(all, operation{path + " line " + strconv.Itoa(i+1), true, func() { set(rest) }, func() { set(text) }})
	}
	return all
}

func changed(value any) any {
	switch v := value.(type) {
	case bool:
		return !v
	case float64:
		return v + 1
	case int64:
		return v + 1
	}
	return "changed"
}
