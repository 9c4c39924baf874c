package compat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/schema/dropped"
)

// prepared is a chart of the tree with the values that its tests start from.
func prepared(t *testing.T, root, name string) (*Chart, Fixture) {
	t.Helper()
	chart, err := Load(root, name)
	require.NoError(t, err)
	fixture, err := ReadFixture(name)
	require.NoError(t, err)
	return chart, fixture
}

// published are the values that people have for a chart, and what of them it has dropped.
func published(t *testing.T, chart *Chart, name string) ([]Value, []dropped.Value) {
	t.Helper()
	values, err := Values(name)
	require.NoError(t, err)
	gone, err := AllDropped(chart)
	require.NoError(t, err)
	return values, gone
}
