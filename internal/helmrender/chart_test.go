package helmrender_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
)

// tree returns a chart with conditions, tags, an alias, imported values and a dependency of a dependency.
func tree() *chart.Chart {
	made := func(name string, values map[string]any, dependencies ...*chart.Dependency) *chart.Chart {
		return &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: name, Version: "1.0.0", Dependencies: dependencies}, Values: values}
	}
	leaf := made("leaf", map[string]any{"size": 1.0, "exports": map[string]any{"data": map[string]any{"shared": "leaf"}}})
	middle := made("middle", map[string]any{"leaf": map[string]any{"enabled": true}},
		&chart.Dependency{Name: "leaf", Version: "1.0.0", Condition: "leaf.enabled,extra.on", ImportValues: []any{"data"}})
	middle.AddDependency(leaf)
	other := made("other", map[string]any{"color": "red"})
	root := made("root", map[string]any{"middle": map[string]any{"on": true}, "tags": map[string]any{"back": true}},
		&chart.Dependency{Name: "middle", Version: "1.0.0", Condition: "middle.on"},
		&chart.Dependency{Name: "other", Version: "1.0.0", Alias: "second", Tags: []string{"back"}})
	root.AddDependency(middle, other)
	return root
}

// The enabled dependencies and their values are those of Helm, in any order of renders; the original chart is not changed.
func TestEnabledIsHelms(t *testing.T) {
	t.Parallel()
	cases := []map[string]any{
		{},
		{"middle": map[string]any{"on": false}},
		{"middle": map[string]any{"on": nil}},
		{"middle": nil},
		{"middle": map[string]any{"leaf": map[string]any{"enabled": false}}},
		{"middle": map[string]any{"leaf": map[string]any{"enabled": nil}}},
		{"middle": map[string]any{"leaf": nil}},
		{"middle": map[string]any{"leaf": map[string]any{"enabled": nil}, "extra": map[string]any{"on": false}}},
		{"middle": map[string]any{"leaf": map[string]any{"size": nil}}},
		{"leaf": nil, "second": nil, "size": nil},
		{"leaf": map[string]any{"enabled": false}},
		{"tags": map[string]any{"back": false}},
		{"tags": nil},
		{"second": map[string]any{"color": "blue"}},
		{"global": map[string]any{"any": nil}},
	}
	reused, untouched := helmrender.New(tree()), tree()
	for range 2 {
		for _, values := range cases {
			want := tree()
			refused := chartutil.ProcessDependenciesWithMerge(want, helmvalues.CopyTree(values))
			before := helmvalues.CopyTree(values)
			got, err := reused.Enabled(values)
			if refused != nil {
				assert.EqualError(t, err, "dependencies of chart root: "+refused.Error(), "%v", values)
				continue
			}
			require.NoError(t, err, "%v", values)
			assert.Equal(t, names(want), names(got), "%v", values)
			coalesced, err := chartutil.CoalesceValues(want, helmvalues.CopyTree(values))
			require.NoError(t, err)
			again, err := chartutil.CoalesceValues(got, values)
			require.NoError(t, err)
			assert.Equal(t, coalesced, again, "%v", values)
			assert.Equal(t, before, values, "the values have changed")
		}
	}
	of := tree()
	_, err := helmrender.New(of).Enabled(cases[1])
	require.NoError(t, err)
	assert.Equal(t, names(untouched), names(of), "the chart has changed")
}

// names returns the names of a chart and of all its dependencies.
func names(of *chart.Chart) []string {
	all := []string{of.ChartFullPath()}
	for _, each := range of.Dependencies() {
		all = append(all, names(each)...)
	}
	return all
}
