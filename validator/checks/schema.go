package checks

import (
	"context"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/validator/chart"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/schema"
	"gitops-runtime/validator/values"
)

const helmHasChecked = "Helm has checked it before it ran this Job"

// checkSchema holds the merged values against the chart's schema and each
// subchart's part against the subchart's, as Helm does.
func checkSchema(_ context.Context, d *desk) engine.Outcome {
	switch {
	case d.InHook:
		return nothing(helmHasChecked)
	case d.Chart == nil:
		return lacks("a chart")
	case len(d.Chart.Schema) == 0:
		return lacks("a values.schema.json in the chart")
	}
	parts := d.parts(d.Chart, "", d.Values.Tree)
	lists := make([][]findings.Finding, len(parts))
	var side errgroup.Group
	for i, part := range parts {
		side.Go(func() error {
			var err error
			lists[i], err = d.checkAgainst(part.schema, part.path, part.tree)
			return err
		})
	}
	if err := side.Wait(); err != nil {
		return found(unknown("SCH100", findings.Place{}, "Whether the values fit", err.Error()))
	}
	return found(unique(slices.Concat(lists...))...)
}

// part is a chart's schema with the values it is for.
type part struct {
	schema []byte
	path   string
	tree   any
}

// parts are the chart and its enabled subcharts, as far as they have a schema.
func (d *desk) parts(of *chart.Chart, path string, tree any) []part {
	var list []part
	if len(of.Schema) > 0 {
		list = append(list, part{of.Schema, path, tree})
	}
	held, _ := tree.(map[string]any)
	for _, dependency := range of.Dependencies {
		if below, exists := held[dependency.Name]; exists && d.Values.Enabled(dependency.Condition) {
			list = append(list, d.parts(dependency.Chart, values.Join(path, dependency.Name), below)...)
		}
	}
	return list
}

func (d *desk) checkAgainst(text []byte, path string, tree any) ([]findings.Finding, error) {
	compiled, err := d.Schemas.Compile(text)
	if err != nil {
		return nil, err
	}
	violations, err := compiled.Violations(tree)
	if err != nil {
		return nil, err
	}
	var list []findings.Finding
	for _, violation := range violations {
		at := path
		if violation.Path != nil && violation.Path[0] == "global" {
			at = "" // a subchart sees the globals of the umbrella: one place, one finding
		}
		list = append(list, d.violation(violation, join(at, violation.Path)))
	}
	return list, nil
}

// violation words one violation.
func (d *desk) violation(v schema.Violation, path string) findings.Finding {
	place := d.place(path)
	switch v.Kind {
	case schema.Unknown:
		if v.Want == "" {
			return findings.New("SCH101", place, path, "")
		}
		return findings.New("SCH101", place, path, " (did you mean "+v.Want+"?)").WithFix("rename the key to %s", v.Want)
	case schema.Type:
		return findings.New("SCH102", place, path, v.Want, v.Got)
	case schema.Range:
		return findings.New("SCH103", place, path, v.Want)
	case schema.Missing:
		return findings.New("SCH104", place, path)
	}
	return findings.New("SCH105", place, path, v.Want)
}

// join writes keys and positions as a path.
func join(path string, parts []string) string {
	for _, part := range parts {
		if i, err := strconv.Atoi(part); err == nil && path != "" {
			path = values.Index(path, i)
			continue
		}
		path = values.Join(path, part)
	}
	return path
}

// unique drops findings that the umbrella's and a subchart's schema share.
func unique(list []findings.Finding) []findings.Finding {
	seen := map[findings.Finding]bool{}
	var kept []findings.Finding
	for _, finding := range list {
		if !seen[finding] {
			seen[finding] = true
			kept = append(kept, finding)
		}
	}
	return kept
}
