package compat

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// A string with all special characters of YAML and templates appears unchanged, or evaluated if the value is a template, in the fields that testdata
// lists; or it is rejected with an error that names the value or the component.
func TestTextsArriveVerbatim(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	// places where an arbitrary string has no effect, with the expected content
	reasons := map[string]string{
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/component`: "the labels by which validate-values finds Argo CD",
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/part-of`:   "the labels by which validate-values finds Argo CD",
		"installer.skipChecks[]":             "the checks that validate-values skips",
		"apiVersionOverrides.awkward":        "the keys are kinds",
		"repoServer.existingVolumes.awkward": "the keys are volumes",
	}
	for _, name := range []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows", "gitops-runtime"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart, fixture := prepared(t, root, name)
			prover := &Prover{Chart: chart, Fixture: fixture}
			known, err := readRows(root, name+"-texts")
			require.NoError(t, err)
			rows, err := prover.Verbatim(chart.Texts(), known)
			assert.NoError(t, err)
			for _, row := range rows {
				arrives := slices.ContainsFunc(row.What, func(line string) bool {
					return strings.HasSuffix(line, ": as it is") || strings.HasSuffix(line, ": as a template") || strings.HasPrefix(line, refused)
				})
				assert.True(t, arrives || reasons[row.Key] != "", "%s: no field contains the string unchanged: %q", row.Key, row.What)
			}
			requireRows(t, root, name+"-texts", "What becomes of a text in each value of "+name, rows)
		})
	}
}

func TestPlacesOfTexts(t *testing.T) {
	t.Parallel()
	m := mark{number: 7}
	found := places{}
	found.walk("ConfigMap/a", "", map[string]any{"data": map[string]any{"a": m.text(), "b": "x: " + `"t7t"`}, "env": []any{map[string]any{"name": "A", "value": m.evaluated()}}})
	assert.Equal(t, []string{`ConfigMap/a data.a: as it is`, `ConfigMap/a data.b.x: changed: "text"`, `ConfigMap/a env[A].value: as a template`}, found.lines(m))
}
