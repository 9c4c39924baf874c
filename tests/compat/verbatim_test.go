package compat

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// A text with everything that means something in YAML and in templates stands in the fields that testdata names as it is, or as a template
// where the value is one; or it is refused in words that name the value or the component.
func TestTextsArriveVerbatim(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	// places where a text by itself means nothing, with what does
	reasons := map[string]string{
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/component`: "by which validate-values looks for Argo CD",
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/part-of`:   "by which validate-values looks for Argo CD",
		"installer.skipChecks[]":             "the checks that validate-values leaves out",
		"apiVersionOverrides.awkward":        "the keys are those of kinds",
		"repoServer.existingVolumes.awkward": "the keys are those of volumes",
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
				assert.True(t, arrives || reasons[row.Key] != "", "%s: the text is nowhere as it is: %q", row.Key, row.What)
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
