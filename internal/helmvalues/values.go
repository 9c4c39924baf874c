// Package helmvalues loads the values of an install as Helm does, several files and --set flags over the chart's defaults, records where each value came
// from, and reads and writes values by their paths. It does not use Helm's own packages, which would multiply the size of a program, and does not know
// what a value means.
package helmvalues

import (
	"fmt"
	"strconv"
	"strings"
)

// Values is the merged tree with the place of each value.
type Values struct {
	// Tree contains maps, lists, strings, bools, float64 and int64, as YAML decodes them.
	Tree   map[string]any
	places map[string]Place
	// filled is true after defaults are merged: from then on a value without a place is a default.
	filled bool
	// shared maps the paths at which a subchart sees the umbrella's globals to the paths of those globals.
	shared   map[string]string
	oddities []Oddity
	// whole contains the values of the parent chart if these are the part under key; otherwise it is nil.
	whole *Values
	key   string
}

// New wraps a tree whose values have no known place, as in the hook, where Helm has already merged them.
func New(tree map[string]any) *Values {
	if tree == nil {
		tree = map[string]any{}
	}
	return &Values{Tree: tree, places: map[string]Place{}}
}

// Get returns the value at a path, and whether there is one. Null counts as no value, as it does in templates.
func (v *Values) Get(path string) (any, bool) {
	value, _ := Get(v.Tree, ParsePath(path))
	return value, value != nil
}

// String returns the value at a path as text, or the fallback if it is absent, empty or not a scalar.
func (v *Values) String(path, fallback string) string {
	switch value, _ := v.Get(path); at := value.(type) {
	case string:
		if at != "" {
			return at
		}
	case bool, int, int64, float64:
		return fmt.Sprint(at)
	}
	return fallback
}

// Bool returns the value at a path as a bool, or the fallback if it is absent. The strings "true" and "false" count, as in the documented
// skipGitPermissionValidation: "true".
func (v *Values) Bool(path string, fallback bool) bool {
	switch value, _ := v.Get(path); at := value.(type) {
	case bool:
		return at
	case string:
		if parsed, err := strconv.ParseBool(at); err == nil {
			return parsed
		}
	}
	return fallback
}

// List returns the list at a path, nil if there is none.
func (v *Values) List(path string) []any {
	value, _ := v.Get(path)
	list, _ := value.([]any)
	return list
}

// Map returns the map at a path, nil if there is none.
func (v *Values) Map(path string) map[string]any {
	value, _ := v.Get(path)
	tree, _ := value.(map[string]any)
	return tree
}

// Place returns where the value at a path was written. A value inside something that was written as a whole has the place of its nearest parent; a value
// that does not exist has only its path.
func (v *Values) Place(path string) Place {
	if v.whole != nil {
		return v.placeInWhole(path)
	}
	if place, known := v.places[path]; known {
		return place
	}
	if _, exists := v.Get(path); !exists {
		return Place{Value: path}
	}
	above := parents(path)
	if source := v.source(path, above); source != "" {
		place := v.Place(source)
		place.Value = path
		return place
	}
	if v.filled {
		return Place{Value: path, Default: true}
	}
	for _, around := range above {
		if place, known := v.places[around]; known {
			place.Value = path
			return place
		}
	}
	return Place{Value: path}
}

// source returns the path of the umbrella's global that a subchart sees at a path, "" for any other path.
func (v *Values) source(path string, above []string) string {
	for _, around := range append([]string{path}, above...) {
		if from, isShared := v.shared[around]; isShared {
			source := from + strings.TrimPrefix(path, around)
			if _, exists := v.Get(source); exists {
				return source
			}
		}
	}
	return ""
}

// forget removes the places of a value and of everything inside it.
func (v *Values) forget(value any, path string) {
	delete(v.places, path)
	switch at := value.(type) {
	case map[string]any:
		for key, inner := range at {
			v.forget(inner, Join(path, key))
		}
	case []any:
		for i, inner := range at {
			v.forget(inner, Index(path, i))
		}
	}
}
