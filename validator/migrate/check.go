package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
)

// Check returns the values of a migrated file that the chart rejects, or that it accepts but that are probably a mistake. The cache may be nil.
func Check(ctx context.Context, text []byte, chart *helmchart.Chart, cache *valueschema.Cache) (rejected, doubtful []valueschema.Problem, err error) {
	values, err := helmvalues.Load(ctx, helmvalues.Options{Files: []string{"-"}, Text: text})
	if err != nil {
		return nil, nil, fmt.Errorf("read the migrated values: %w", err)
	}
	values.WithDefaults(chart)
	if rejected, err = valueschema.Chart(chart, values, cache); err != nil {
		return nil, nil, err
	}
	doubtful, err = valueschema.Doubts(chart, values, cache)
	return rejected, doubtful, err
}

// partOf returns the umbrella chart itself, or one of its parts.
func partOf(whole *helmchart.Chart, name string) (*helmchart.Chart, error) {
	if whole.Title == name {
		return whole, nil
	}
	for _, part := range whole.Dependencies {
		if part.Title == name {
			return part.Chart, nil
		}
	}
	return nil, fmt.Errorf("the chart %s has no part %s", whole.Title, name)
}

// settle replaces the verdict "unchanged" of the values that problems are about.
func settle(changes []Change, rejected, doubtful []valueschema.Problem) []Change {
	var found []Change
	add := func(verdict Verdict, problems []valueschema.Problem) {
		for _, problem := range problems {
			reason := problem.Message
			if problem.Fix != "" {
				reason += " Fix: " + problem.Fix + "."
			}
			found = append(found, Change{Verdict: verdict, Path: dropped.ParsePath(problem.Place.Value), Line: problem.Place.Line, Reason: reason})
		}
	}
	add(Unsettled, rejected)
	add(Doubtful, doubtful)
	settled := slices.DeleteFunc(changes, func(change Change) bool {
		return change.Verdict == Unchanged && slices.ContainsFunc(found, func(problem Change) bool { return concerns(problem.Path.String(), change.Path.String()) })
	})
	return append(found, settled...)
}

// concerns reports whether a problem at a path is about a value: at it, above it, or in it.
func concerns(problem, value string) bool {
	return problem == value || strings.HasPrefix(value, problem+".") || strings.HasPrefix(problem, value+".") || strings.HasPrefix(problem, value+"[")
}
