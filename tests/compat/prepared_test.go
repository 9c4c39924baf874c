package compat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/schema/dropped"
)

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
