package valueschema

import (
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/process"
)

// Chart validates values against the schemas of a chart and of its enabled subcharts, as Helm does, and lists the problems in the umbrella's order. The
// chart's defaults are merged below the values; the cache may be nil. An error means that a schema cannot be used.
func Chart(of *helmchart.Chart, given *helmvalues.Values, cache *Cache) ([]Problem, error) {
	parts := partsOf(of, given, "", given.Tree)
	lists := make([][]Problem, len(parts))
	var side errgroup.Group
	for i, part := range parts {
		side.Go(func() (err error) {
			defer process.ContainPanic(&err)
			lists[i], err = part.problems(given, cache)
			return err
		})
	}
	if err := side.Wait(); err != nil {
		return nil, err
	}
	return unique(slices.Concat(lists...)), nil
}

// part is a chart's schema with the values that it applies to.
type part struct {
	schema []byte
	path   string
	tree   any
}

// partsOf returns the chart and its enabled subcharts that have a schema.
func partsOf(of *helmchart.Chart, given *helmvalues.Values, path string, tree any) []part {
	var list []part
	if len(of.Schema) > 0 {
		list = append(list, part{of.Schema, path, tree})
	}
	held, _ := tree.(map[string]any)
	for _, dependency := range of.Dependencies {
		if below, exists := held[dependency.Name]; exists && given.Enabled(dependency.Condition) {
			list = append(list, partsOf(dependency.Chart, given, helmvalues.Join(path, dependency.Name), below)...)
		}
	}
	return list
}

func (p part) problems(given *helmvalues.Values, cache *Cache) ([]Problem, error) {
	compiled, err := cache.Compile(p.schema)
	if err != nil {
		return nil, err
	}
	violations, err := compiled.Violations(p.tree)
	if err != nil {
		return nil, err
	}
	var list []Problem
	for _, violation := range violations {
		at := p.path
		if violation.Path != nil && violation.Path[0] == "global" {
			at = "" // a subchart sees the umbrella's globals; report each once, at its source
		}
		path := join(at, violation.Path)
		list = append(list, problem(violation, given.Place(path), path))
	}
	return list, nil
}

// join appends keys and list indexes to a path.
func join(path string, parts []string) string {
	for _, part := range parts {
		if i, err := strconv.Atoi(part); err == nil && path != "" {
			path = helmvalues.Index(path, i)
			continue
		}
		path = helmvalues.Join(path, part)
	}
	return path
}

// unique removes the repetitions of problems that the schemas of the umbrella and of a subchart share.
func unique(list []Problem) []Problem {
	seen := map[Problem]bool{}
	var kept []Problem
	for _, problem := range list {
		if !seen[problem] {
			seen[problem] = true
			kept = append(kept, problem)
		}
	}
	return kept
}
