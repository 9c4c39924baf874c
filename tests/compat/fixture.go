package compat

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"gitops-runtime/schema/dropped"
)

// Fixture says what a chart's values need around them to be seen, where the general rule is not enough.
type Fixture struct {
	// Base turns on whatever is off by default, so that settings of it show.
	Base map[string]any
	// With are values that some paths need besides; all that match are laid over Base in order.
	With []Condition
	// To are values to change a path to, by path; the others are chosen by type and schema.
	To map[string]any
}

// Condition is what the values at Paths and below need besides Fixture.Base.
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

// Around returns the values that make a path visible.
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

// overlay returns the values of base with those of top over them; neither is changed.
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
