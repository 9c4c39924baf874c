package compat

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// A text with everything that means something in YAML arrives as it is, or is refused in words that name the value or the component.
func TestTextsArriveVerbatim(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	for _, name := range []string{"argo-events", "argo-rollouts", "argo-workflows"} {
		for kind, text := range map[string]string{"lines": "t%dt: \"b\" #c\n- d"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				chart, fixture := prepared(t, root, name)
				prover := &Prover{Chart: chart, Fixture: fixture}
				outcome, err := prover.Verbatim(chart.Texts(), func(i int) string { return fmt.Sprintf(text, i) })
				require.NoError(t, err)
				t.Logf("%d verbatim, %d refused", len(outcome.Verbatim), len(outcome.Refused))
				assert.Empty(t, outcome.Lost)
				for path, err := range outcome.Unclear {
					assert.NoError(t, err, path)
				}
			})
		}
	}
}
