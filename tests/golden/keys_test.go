package golden_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/tests/golden"
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

// everyKeyCounts removes each key of a values file, which has more than least keys. A value of a subchart is tried in the subchart alone, which takes a
// fraction of the time.
func everyKeyCounts(t *testing.T, name string, least int) {
	t.Helper()
	loaded, root := chart(t)
	var values map[string]any
	text, err := os.ReadFile(filepath.Join(loaded.Folder(), name))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, &values))
	tunnel, err := chartutil.ReadValuesFile(filepath.Join(loaded.Folder(), "ci", "tunnel-values.yaml"))
	require.NoError(t, err)
	umbrella, err := helmchart.Load(t.Context(), helmchart.Source{Name: loaded.Folder()})
	require.NoError(t, err)
	charts := map[string]*helmrender.Chart{"": helmrender.New(umbrella)}
	for _, dependency := range umbrella.Dependencies() {
		subchart, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(root, "charts", dependency.Name())})
		require.NoError(t, err)
		charts[dependency.Name()] = helmrender.New(subchart)
	}
	rendered := func(values map[string]any, of string) (map[string]string, error) {
		merged, err := chartutil.CoalesceValues(umbrella, chartutil.MergeTables(without(values, nil), tunnel))
		require.NoError(t, err)
		given := merged.AsMap()
		if of != "" {
			given, _ = given[of].(map[string]any)
		}
		enabled, scope, err := charts[of].Prepare(given, helmrender.Options{Name: golden.Release, Namespace: golden.Namespace, Schemas: schemas})
		if err != nil {
			return nil, err
		}
		return engine.Render(enabled, scope)
	}
	whole := map[string]map[string]string{}
	paths := leaves(values, nil)
	assert.Greater(t, len(paths), least)
	for _, path := range paths {
		of := path[0]
		if charts[of] == nil {
			of = ""
		}
		if whole[of] == nil {
			whole[of], err = rendered(values, of)
			require.NoError(t, err)
		}
		less, err := rendered(without(values, path), of)
		assert.False(t, err == nil && maps.Equal(whole[of], less), "%s changes nothing", strings.Join(path, "."))
	}
}

// schemas are compiled once.
var schemas = &valueschema.Cache{}
