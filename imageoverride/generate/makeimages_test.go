//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package generate_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMakeImagesTakesEveryValuesFile: make images uses every values file of the chart.
func TestMakeImagesTakesEveryValuesFile(t *testing.T) {
	text, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	require.Contains(t, string(text), "$(wildcard $(UMBRELLA)/ci/*-values.yaml)")
	require.Contains(t, string(text), "$(wildcard $(UMBRELLA)/values-*.yaml)")
}
