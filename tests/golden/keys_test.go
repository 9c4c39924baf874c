package golden_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/internal/helmchart"
)

// leaves returns the paths of the values in a tree; a list is one value.
func leaves(tree map[string]any, path []string) [][]string {
	var all [][]string
	for key, value := range tree {
		here := append(append([]string{}, path...), key)
		if below, is := value.(map[string]any); is && len(below) > 0 {
			all = append(all, leaves(below, here)...)
			continue
		}
		all = append(all, here)
	}
	return all
}

// without returns a copy of a tree without a path.
func without(tree map[string]any, path []string) map[string]any {
	copied := map[string]any{}
	for key, value := range tree {
		var rest []string
		if len(path) > 0 && key == path[0] {
			if rest = path[1:]; len(rest) == 0 {
				continue
			}
		}
		if below, is := value.(map[string]any); is {
			value = without(below, rest)
		}
		copied[key] = value
	}
	return copied
}

// Removing any key from values-ha.yaml or values-large.yaml changes the rendered objects or fails the render.
func TestEveryKeyCounts(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]int{"values-ha.yaml": 30, "values-large.yaml": 15} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyKeyCounts(t, name, least)
		})
	}
}

// everyKeyCounts removes each key of a values file, which has more than least keys.
func everyKeyCounts(t *testing.T, name string, least int) {
	t.Helper()
	loaded, _ := chart(t)
	text, err := os.ReadFile(filepath.Join(loaded.Folder(), name))
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, yaml.UnmarshalStrict(text, &values))
	tunnel, err := chartutil.ReadValuesFile(filepath.Join(loaded.Folder(), "ci", "tunnel-values.yaml"))
	require.NoError(t, err)
	chart, err := helmchart.Load(t.Context(), helmchart.Source{Name: loaded.Folder()})
	require.NoError(t, err)
	renderer, err := chartrender.NewRenderer(chart, chartrender.Settings{})
	require.NoError(t, err)
	rendered := func(values map[string]any) ([]chartrender.Document, error) {
		output, err := renderer.Render(t.Context(), chartutil.MergeTables(without(values, nil), tunnel))
		return output.Documents, err
	}
	whole, err := rendered(values)
	require.NoError(t, err)
	paths := leaves(values, nil)
	assert.Greater(t, len(paths), least)
	for _, path := range paths {
		less, err := rendered(without(values, path))
		assert.False(t, err == nil && slices.Equal(whole, less), "%s changes nothing", strings.Join(path, "."))
	}
	again, err := rendered(values)
	require.NoError(t, err)
	assert.Equal(t, whole, again)
}
