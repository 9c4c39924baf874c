package helmvalues

import "strings"

// Part returns the values as the chart under a key sees them, after defaults are merged. Places are those in the values of the parent chart.
func (v *Values) Part(key string) *Values {
	tree, _ := v.Tree[key].(map[string]any)
	if tree == nil {
		tree = map[string]any{}
	}
	return &Values{Tree: tree, whole: v, key: key, filled: v.filled, oddities: v.oddities}
}

// placeInWhole returns the place of a part's value.
func (v *Values) placeInWhole(path string) Place {
	if path == global || strings.HasPrefix(path, global+".") {
		if _, exists := v.whole.Get(path); exists {
			return v.whole.Place(path)
		}
		if _, exists := v.Get(path); !exists {
			return Place{Value: path}
		}
	}
	return v.whole.Place(Join("", v.key) + "." + path)
}
