package render_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// A key without a value (`app-proxy:`) is null, which removes the whole map. Maps that templates require are reported by path; all others may be
// null at the same time.
func TestNullIsRefusedByPathOrTaken(t *testing.T) {
	t.Parallel()
	for chart, file := range map[string][]string{"argo-cd": nil, "argo-events": nil, "argo-rollouts": nil, "argo-workflows": nil, "tunnel-client": {"tunnel"}, "gitops-runtime": {"tunnel"}} {
		t.Run(chart, func(t *testing.T) {
			t.Parallel()
			optional, needed := mapsOf(t, chart)
			require.NotEmpty(t, needed)
			set := map[string]string{}
			for _, path := range optional {
				set[path] = "null"
			}
			delete(set, "global.codefresh.userToken.secretKeyRef") // required for the user token
			_, err := render.Release{Chart: chart, Files: file, SetJSON: set}.Text(t)
			require.NoError(t, err)

			last := needed[len(needed)-1]
			_, err = render.Release{Chart: chart, Files: file, SetJSON: map[string]string{last: "null"}}.Text(t)
			require.ErrorContains(t, err, "missing property '"+last[strings.LastIndex(last, ".")+1:]+"'")
			assert.NotContains(t, err.Error(), "nil pointer")
		})
	}
}

// mapsOf returns the paths of a chart's maps that may be null, and of maps that may not.
func mapsOf(t *testing.T, chart string) (optional, needed []string) {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	loaded := load(t, chart)
	var schema struct{ Then map[string]any }
	require.NoError(t, json.Unmarshal(loaded.Schema, &schema))
	var walk func(values, tables map[string]any, path string)
	walk = func(values, tables map[string]any, path string) {
		below, _ := tables["properties"].(map[string]any)
		for key, value := range values {
			child, isMap := value.(map[string]any)
			if _, subchart := os.Stat(filepath.Join(root, "charts", key)); !isMap || subchart == nil {
				continue // the schema of a subchart contains its required values
			}
			at := path + strings.ReplaceAll(key, ".", `\.`)
			if required, _ := tables["required"].([]any); slices.Contains(required, any(key)) {
				needed = append(needed, at)
				table, _ := below[key].(map[string]any)
				walk(child, table, at+".")
				continue
			}
			optional = append(optional, at)
		}
	}
	walk(loaded.Values, schema.Then, "")
	slices.Sort(needed)
	return optional, needed
}
