package compat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/gomodule"
)

// eachChart runs a test for each chart that has published values.
func eachChart(t *testing.T, test func(t *testing.T, prover *Prover, name string)) {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	charts, err := Charts()
	require.NoError(t, err)
	for _, name := range charts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart, fixture := prepared(t, root, name)
			test(t, &Prover{Chart: chart, Fixture: fixture}, name)
		})
	}
}

// prepared returns a chart from the checkout and its fixture.
func prepared(t *testing.T, root, name string) (*Chart, Fixture) {
	t.Helper()
	chart, err := Load(root, name)
	require.NoError(t, err)
	fixture, err := ReadFixture(name)
	require.NoError(t, err)
	return chart, fixture
}

// published returns the published values of a chart, and those that it drops or renames.
func published(t *testing.T, chart *Chart, name string) ([]Value, []dropped.Value) {
	t.Helper()
	values, err := Values(name)
	require.NoError(t, err)
	droppedValues, err := AllDropped(chart)
	require.NoError(t, err)
	return values, droppedValues
}
