package helmvalues_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
)

func TestPartHasTheValuesOfItsChart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte("global: {name: a}\npart:\n  size: 2\n  global: {zone: b}\n"), 0o600))
	loaded, err := helmvalues.Load(t.Context(), helmvalues.Options{Files: []string{file}})
	require.NoError(t, err)
	part := &helmchart.Chart{Name: "part", Defaults: map[string]any{"size": 1.0, "color": "red", "global": map[string]any{"name": "", "host": "h"}}}
	loaded.WithDefaults(&helmchart.Chart{Name: "whole", Dependencies: []helmchart.Dependency{{Chart: part}}})
	seen := loaded.Part("part")
	assert.Equal(t, map[string]any{"size": 2.0, "color": "red", "global": map[string]any{"name": "a", "zone": "b", "host": "h"}}, seen.Tree)
	for path, want := range map[string]helmvalues.Place{
		"size":        {Value: "part.size", File: file, Line: 3, Column: 3},
		"color":       {Value: "part.color", Default: true},
		"none":        {Value: "part.none"},
		"global.name": {Value: "global.name", File: file, Line: 1, Column: 10},
		"global.zone": {Value: "part.global.zone", File: file, Line: 4, Column: 12},
		"global.host": {Value: "part.global.host", Default: true},
		"global.none": {Value: "global.none"},
	} {
		assert.Equal(t, want, seen.Place(path), path)
	}
	assert.Empty(t, loaded.Part("absent").Tree)
}
