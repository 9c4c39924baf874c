package schemacheck

import (
	"maps"
	"slices"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/sentence"
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
	found := dropped(s.rules, values, nil)
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

// dropped returns the values that a rule describes with the sentence that they have no effect.
func dropped(rule any, value any, path []string) []Violation {
	keywords, _ := rule.(map[string]any)
	description, _ := keywords["description"].(string)
	if reason, ok := sentence.IsDropped(description); ok {
		if value == nil {
			return nil
		}
		return []Violation{{Kind: Dropped, Path: path, Want: reason}}
	}
	var list []Violation
	properties, _ := keywords["properties"].(map[string]any)
	held, _ := value.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(held)) {
		if below, known := properties[key]; known {
			list = append(list, dropped(below, held[key], append(slices.Clone(path), key))...)
		}
	}
	return list
}

func similarGlobals(of *helmchart.Chart, given *helmvalues.Values, cache *Cache) ([]Problem, error) {
	if len(of.Schema) == 0 {
		return nil, nil
	}
	compiled, err := cache.Compile(of.Schema)
	if err != nil {
		return nil, err
	}
	known := compiled.Keys("global")
	if len(known) == 0 {
		return nil, nil
	}
	var list []Problem
	for _, key := range slices.Sorted(maps.Keys(given.Map("global"))) {
		if near := Nearest(key, known); near != "" && !slices.Contains(known, key) && !compiled.refuses(key, "global") {
			path := helmvalues.Join("global", key)
			list = append(list, newProblem(CodeForeign, given.Place(path), path, near))
		}
	}
	return list, nil
}
