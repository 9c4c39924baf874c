package compat

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
)

// Dropped values are rejected with an explanation, and most values are honored.
func TestDroppedValuesAreRefusedInWords(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	charts, err := Charts()
	require.NoError(t, err)
	for _, name := range charts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart, fixture := prepared(t, root, name)
			values, droppedValues := published(t, chart, name)
			refused, all := map[string]int{}, map[string]int{}
			for _, value := range values {
				entry, ok := Dropped(droppedValues, value.Path)
				for _, version := range append(slices.Clone(value.Versions), "") {
					all[version]++
					if ok {
						refused[version]++
					}
				}
				if ok {
					assertRefused(t, chart, fixture, value, entry)
				}
			}
			for version, least := range leastHonoured(name) {
				assert.GreaterOrEqual(t, 1-float64(refused[version])/float64(all[version]), least, "share of honored values of %s %s", name, version)
			}
		})
	}
}

// A copy of the published values.yaml is accepted with the values that an install requires: defaults of dropped values are not rejected.
func TestPublishedValuesAreTakenAsAWhole(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	chart, err := Load(root, "gitops-runtime")
	require.NoError(t, err)
	versions, err := Versions("gitops-runtime")
	require.NoError(t, err)
	require.Equal(t, []string{"0.24.0", "0.26", "0.28", "0.30.0"}, versions)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			values, err := Published("gitops-runtime", version)
			require.NoError(t, err)
			needed := map[string]any{"global": map[string]any{
				"codefresh": map[string]any{"accountId": "a1", "userToken": map[string]any{"token": "t"}},
				"runtime":   map[string]any{"name": "production"},
			}}
			_, err = chart.Render(overlay(values, needed))
			assert.NoError(t, err)
		})
	}
}

// leastHonoured returns the minimum share of published values that a chart has to honor, by version. A fifth of the values of gitops-runtime 0.24.0
// configure the EventSources, Sensors and the EventBus that reported to the platform until 0.30.0 removed them.
func leastHonoured(chart string) map[string]float64 {
	if chart == "gitops-runtime" {
		return map[string]float64{"0.24.0": 0.74, "0.26": 0.92, "0.28": 0.92, "0.30.0": 0.92}
	}
	return map[string]float64{"": 0.95}
}

// assertRefused asserts that a dropped value of the published type is rejected with the sentence of its entry. Harmless values and image names,
// which differ between versions, are accepted; their schema description is the sentence, with which validate-values warns.
func assertRefused(t *testing.T, chart *Chart, fixture Fixture, value Value, entry dropped.Value) {
	t.Helper()
	var changed any = "changed"
	switch value.Type {
	case "object":
		changed = map[string]any{"changed": "changed"}
	case "array":
		changed = []any{"changed"}
	}
	_, err := chart.render(chart.near(value.Path), overlay(fixture.Around(value.Path), nested(value.Path, changed)))
	if of := len(value.Path) - 2; entry.Harmless || of >= 0 && value.Path[of] == "image" {
		if assert.NoError(t, err, value.Path) {
			assert.Equal(t, entry.Sentence(), chart.nodeAt(entry.Path)["description"], value.Path)
		}
		return
	}
	if assert.Error(t, err, "%s is dropped but accepted", value.Path) {
		assert.Contains(t, err.Error(), entry.Reason)
		assert.Contains(t, err.Error(), entry.Instead)
	}
}

func TestPagesAreUpToDate(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	pages, err := Pages(root)
	require.NoError(t, err)
	drift, err := generated.Drift(root, pages)
	require.NoError(t, err)
	assert.Empty(t, drift)
}

func TestChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind          string
		current       any
		node          map[string]any
		want          any
		wantErrorText string
	}{
		"a boolean is negated":                 {kind: "boolean", current: true, want: false},
		"an absent boolean becomes true":       {kind: "boolean", want: true},
		"a number is incremented":              {kind: "integer", current: 3.0, want: 4.0},
		"an absent number becomes 1":           {kind: "integer", want: 1},
		"a string":                             {kind: "string", current: "a", want: "changed"},
		"another allowed value":                {kind: "string", current: "a", node: map[string]any{"enum": []any{nil, "", "a", "b"}}, want: "b"},
		"a list of strings":                    {kind: "array", node: map[string]any{"items": map[string]any{"type": []any{"string", "null"}}}, want: []any{"changed"}},
		"a list of allowed values":             {kind: "array", node: map[string]any{"items": map[string]any{"enum": []any{"a"}}}, want: []any{"a"}},
		"a list of objects":                    {kind: "array", node: map[string]any{"items": map[string]any{"type": "object"}}, want: []any{map[string]any{"name": "changed"}}},
		"an object":                            {kind: "object", want: map[string]any{"name": "changed"}},
		"a quantity":                           {kind: "string", node: map[string]any{"type": []any{"string", "number"}, "pattern": "^[0-9]"}, want: "7Gi"},
		"without a default the schema decides": {kind: "null", node: map[string]any{"type": []any{"null", "integer"}}, want: 1},
		"no other value is allowed":            {kind: "string", current: "a", node: map[string]any{"enum": []any{"a"}}, wantErrorText: "the schema allows only a"},
		"an unknown type":                      {kind: "date", wantErrorText: `no other value known for type "date": set one in the fixture`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := change(c.kind, c.current, c.node, "changed")
			if c.wantErrorText != "" {
				assert.EqualError(t, err, c.wantErrorText)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestFixtureLaysConditionsOverTheBase(t *testing.T) {
	t.Parallel()
	fixture := Fixture{
		Base: map[string]any{"a": map[string]any{"b": 1, "c": 2}},
		With: []Condition{{Paths: []string{"x"}, Values: map[string]any{"a": map[string]any{"b": 3}}}, {Paths: []string{"x.y"}, Values: map[string]any{"d": 4}}},
	}
	assert.Equal(t, fixture.Base, fixture.Around(dropped.Path{"z"}))
	assert.Equal(t, map[string]any{"a": map[string]any{"b": 3, "c": 2}}, fixture.Around(dropped.Path{"x"}))
	assert.Equal(t, map[string]any{"a": map[string]any{"b": 3, "c": 2}, "d": 4}, fixture.Around(dropped.Path{"x", "y", "z"}))
	assert.Equal(t, map[string]any{"a": map[string]any{"b": 1, "c": 2}}, fixture.Base, "the base is unchanged")
}
