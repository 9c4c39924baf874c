package compat

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/dropped"
)

// Fixture contains the values under which other values of a chart have an effect.
type Fixture struct {
	// Base enables the features that are off by default, so that their settings have an effect.
	Base map[string]any
	// With are values that some paths need in addition; all that match are merged over Base in order.
	With []Condition
	// To are the new values of paths; those of other paths are chosen by type and schema.
	To map[string]any
}

// Condition contains the values that Paths and the paths below them need in addition to Fixture.Base.
type Condition struct {
	Paths  []string
	Values map[string]any
}

// ReadFixture returns the fixture of a chart.
func ReadFixture(chart string) (Fixture, error) {
	var fixture Fixture
	text, err := data.ReadFile("fixtures/" + chart + ".yaml")
	if err != nil {
		return fixture, fmt.Errorf("read the fixture of %s: %w", chart, err)
	}
	if err := yaml.UnmarshalStrict(text, &fixture); err != nil {
		return fixture, fmt.Errorf("fixture of %s: %w", chart, err)
	}
	return fixture, nil
}

// Around returns the values under which a path has an effect.
func (f Fixture) Around(path dropped.Path) map[string]any {
	values := overlay(nil, f.Base)
	for _, condition := range f.With {
		for _, written := range condition.Paths {
			if path.Within(dropped.ParsePath(written)) {
				values = overlay(values, condition.Values)
			}
		}
	}
	return values
}

// overlay merges top over base and returns the result; it changes neither.
func overlay(base, top map[string]any) map[string]any {
	values := map[string]any{}
	for key, value := range base {
		values[key] = value
	}
	for key, value := range top {
		below, isMap := values[key].(map[string]any)
		above, overMap := value.(map[string]any)
		if isMap && overMap {
			value = overlay(below, above)
		}
		values[key] = value
	}
	return values
}

// nested returns values with one path set.
func nested(path dropped.Path, value any) map[string]any {
	for i := len(path) - 1; i >= 0; i-- {
		value = map[string]any{path[i]: value}
	}
	return value.(map[string]any)
}
