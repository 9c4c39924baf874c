// Package conformity holds values against the schemas of a chart and of its
// enabled subcharts, as Helm does, and says of every violation its code, where
// the value was written and what would fit.
package conformity

import (
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/internal/contain"
	"gitops-runtime/validator/chart"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/schema"
	"gitops-runtime/validator/values"
)

// Findings are the violations in the umbrella's order. The values have the
// chart's defaults below them; the shelf may be nil. An error means that a
// schema cannot be used.
func Findings(of *chart.Chart, given *values.Values, shelf *schema.Shelf) ([]findings.Finding, error) {
	parts := partsOf(of, given, "", given.Tree)
	lists := make([][]findings.Finding, len(parts))
	var side errgroup.Group
	for i, part := range parts {
		side.Go(func() (err error) {
			defer contain.Panic(&err)
			lists[i], err = part.findings(given, shelf)
			return err
		})
	}
	if err := side.Wait(); err != nil {
		return nil, err
	}
	return unique(slices.Concat(lists...)), nil
}

// part is a chart's schema with the values it is for.
type part struct {
	schema []byte
	path   string
	tree   any
}

// partsOf are the chart and its enabled subcharts, as far as they have a schema.
func partsOf(of *chart.Chart, given *values.Values, path string, tree any) []part {
	var list []part
	if len(of.Schema) > 0 {
		list = append(list, part{of.Schema, path, tree})
	}
	held, _ := tree.(map[string]any)
	for _, dependency := range of.Dependencies {
		if below, exists := held[dependency.Name]; exists && given.Enabled(dependency.Condition) {
			list = append(list, partsOf(dependency.Chart, given, values.Join(path, dependency.Name), below)...)
		}
	}
	return list
}

func (p part) findings(given *values.Values, shelf *schema.Shelf) ([]findings.Finding, error) {
	compiled, err := shelf.Compile(p.schema)
	if err != nil {
		return nil, err
	}
	violations, err := compiled.Violations(p.tree)
	if err != nil {
		return nil, err
	}
	var list []findings.Finding
	for _, violation := range violations {
		at := p.path
		if violation.Path != nil && violation.Path[0] == "global" {
			at = "" // a subchart sees the globals of the umbrella: one place, one finding
		}
		path := join(at, violation.Path)
		list = append(list, worded(violation, given.Place(path), path))
	}
	return list, nil
}

// worded is one violation as a finding.
func worded(v schema.Violation, place findings.Place, path string) findings.Finding {
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
