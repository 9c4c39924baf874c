package schemacheck

import (
	"maps"
	"slices"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
)

// Doubts lists what the schemas of a chart take and a user probably does not
// mean: globals that the chart does not read and that look like one it reads.
// Other charts may have globals of their own, so these are no problems.
func Doubts(of *helmchart.Chart, given *helmvalues.Values, cache *Cache) ([]Problem, error) {
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
