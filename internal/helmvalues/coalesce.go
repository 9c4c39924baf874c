package helmvalues

import (
	"maps"
	"strings"

	"gitops-runtime/internal/helmchart"
)

// global is the key whose values every subchart receives.
const global = "global"

// WithDefaults merges the defaults of a chart and its enabled subcharts below the values, as Helm does before it validates and renders: given values
// win, a null removes a default, and subcharts receive the globals.
func (v *Values) WithDefaults(of *helmchart.Chart) {
	v.filled, v.shared = true, map[string]string{}
	fill(v.Tree, of.Defaults, false, subcharts(of))
	for _, dependency := range of.Dependencies {
		if v.Enabled(dependency.Condition) {
			v.fillSubchart(v.Tree, dependency.Chart, "")
		}
	}
}

// Enabled evaluates a dependency's condition: the first path that contains a bool decides.
func (v *Values) Enabled(condition string) bool {
	for _, path := range strings.Split(condition, ",") {
		value, _ := v.Get(strings.TrimSpace(path))
		if on, isBool := value.(bool); isBool && path != "" {
			return on
		}
	}
	return true
}

func subcharts(of *helmchart.Chart) map[string]bool {
	names := map[string]bool{}
	for _, dependency := range of.Dependencies {
		names[dependency.Name] = true
	}
	return names
}

func (v *Values) fillSubchart(parent map[string]any, sub *helmchart.Chart, path string) {
	if _, exists := parent[sub.Name]; !exists {
		parent[sub.Name] = map[string]any{}
	}
	own, isMap := parent[sub.Name].(map[string]any)
	if !isMap {
		return
	}
	at := Join(path, sub.Name)
	if globals, _ := parent[global].(map[string]any); globals != nil {
		v.passGlobals(own, globals, Join(path, global), Join(at, global))
	} else if _, exists := own[global]; !exists {
		own[global] = map[string]any{}
	}
	fill(own, sub.Defaults, false, subcharts(sub))
	for _, dependency := range sub.Dependencies {
		v.fillSubchart(own, dependency.Chart, at)
	}
}

// passGlobals copies the parent's globals into a subchart's values; they win over globals that were set for the subchart.
func (v *Values) passGlobals(own, globals map[string]any, from, path string) {
	below, isMap := own[global].(map[string]any)
	if own[global] != nil && !isMap {
		return
	}
	merged := maps.Clone(below)
	if merged == nil {
		merged = map[string]any{}
	}
	v.overlayGlobals(merged, globals, path)
	own[global] = merged
	v.shared[path] = from
}

func (v *Values) overlayGlobals(into, from map[string]any, path string) {
	for key, value := range from {
		at := Join(path, key)
		incoming, isMap := value.(map[string]any)
		existing, both := into[key].(map[string]any)
		switch {
		case isMap && both:
			copied := maps.Clone(existing)
			v.overlayGlobals(copied, incoming, at)
			into[key] = copied
		case isMap && into[key] != nil, !isMap && both:
			// A map and a scalar do not merge; Helm keeps the existing one.
		case isMap:
			copied := map[string]any{}
			v.overlayGlobals(copied, incoming, at)
			into[key] = copied
		default:
			v.forget(into[key], at)
			into[key] = value
		}
	}
}

// fill merges defaults below a tree. keepNull is true within a subchart's values, where a null still has to remove the subchart's own default later.
func fill(tree, defaults map[string]any, keepNull bool, children map[string]bool) {
	for key, value := range defaults {
		given, exists := tree[key]
		switch {
		case !exists:
			tree[key] = Copy(value)
		case given == nil && !keepNull:
			delete(tree, key)
		default:
			inner, isMap := given.(map[string]any)
			below, defaultIsMap := value.(map[string]any)
			if isMap && defaultIsMap {
				fill(inner, below, keepNull || children[key], nil)
			}
		}
	}
}
