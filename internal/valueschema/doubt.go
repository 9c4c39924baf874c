package valueschema

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
)

// Doubts lists values that the schemas of a chart and of its enabled subcharts accept, but that are probably a mistake: values of another chart, at
// their defaults there, that have no effect here, and globals that the chart does not read but that resemble one it reads. Other charts may have their
// own globals, so these are not errors.
func Doubts(of *helmchart.Chart, given *helmvalues.Values, cache *Cache) ([]Problem, error) {
	var list []Problem
	for _, part := range partsOf(of, given, "", given.Tree) {
		compiled, err := cache.Compile(part.schema)
		if err != nil {
			return nil, err
		}
		found, err := compiled.withoutEffect(part.tree)
		if err != nil {
			return nil, err
		}
		for _, violation := range found {
			path := join(part.path, violation.Path)
			list = append(list, problem(violation, given.Place(path), path))
		}
	}
	similar, err := similarGlobals(of, given, cache)
	return append(list, similar...), err
}

// withoutEffect returns the values that the schema accepts although it states that they have no effect.
func (s *Schema) withoutEffect(values any) ([]Violation, error) {
	found := withoutEffect(s.root, values, nil)
	if len(found) == 0 {
		return nil, nil
	}
	violations, err := s.Violations(values)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(one Violation) bool {
		return slices.ContainsFunc(violations, func(v Violation) bool {
			return len(v.Path) >= len(one.Path) && slices.Equal(v.Path[:len(one.Path)], one.Path)
		})
	}), nil
}

// withoutEffect returns the values that a rule describes with the sentence that they have no effect.
func withoutEffect(rule *jsonschema.Schema, value any, path []string) []Violation {
	rule = resolve(rule)
	if reason, ok := ReadDropped(rule.Description); ok {
		if value == nil {
			return nil
		}
		return []Violation{{Kind: Dropped, Path: path, Want: reason}}
	}
	var list []Violation
	held, _ := value.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(held)) {
		if below, known := rule.Properties[key]; known {
			list = append(list, withoutEffect(below, held[key], append(slices.Clone(path), key))...)
		}
	}
	return list
}

// similarGlobals lists globals that the chart does not read but whose key resembles one that it reads, or is one that belongs one level deeper.
func similarGlobals(of *helmchart.Chart, given *helmvalues.Values, cache *Cache) ([]Problem, error) {
	if len(of.Schema) == 0 {
		return nil, nil
	}
	compiled, err := cache.Compile(of.Schema)
	if err != nil {
		return nil, err
	}
	global := compiled.rule([]string{"global"})
	known := keysWithEffect(global)
	if len(known) == 0 {
		return nil, nil
	}
	var list []Problem
	for _, key := range slices.Sorted(maps.Keys(given.Map("global"))) {
		path := helmvalues.Join("global", key)
		if global.Properties[key] != nil || compiled.refuses(key, "global") {
			continue
		}
		if near := Nearest(key, known); near != "" {
			list = append(list, newProblem(CodeForeign, given.Place(path), path, near))
		} else if deeper := compiled.deeper(key); deeper != "" {
			problem := newProblem(CodeForeign, given.Place(path), path, deeper)
			problem.Fix = "move it to " + deeper + ", unless another chart reads it"
			list = append(list, problem)
		}
	}
	return list, nil
}

// deeper returns the path of a key in a map below `global`, if no other map of the chart has that key.
func (s *Schema) deeper(key string) string {
	var found []string
	for _, above := range [][]string{nil, {"global"}} {
		for _, name := range s.Keys(above...) {
			path := append(slices.Clone(above), name)
			if slices.Contains(s.Keys(path...), key) {
				found = append(found, join("", append(path, key)))
			}
		}
	}
	if len(found) != 1 || !strings.HasPrefix(found[0], "global.") {
		return ""
	}
	return found[0]
}
