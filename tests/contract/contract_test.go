package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/facts"
	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
)

// The chart is rendered once in every mode; each part of the test checks a different property.
func TestTheChartKeepsTheContract(t *testing.T) {
	t.Parallel()
	comparison, outcomes, err := Run(t.Context())
	require.NoError(t, err)
	t.Run("every fact", func(t *testing.T) { everyFact(t, comparison, outcomes) })
	t.Run("in place", func(t *testing.T) { inPlace(t, outcomes) })
	t.Run("closed programs", func(t *testing.T) { closedPrograms(t, comparison, outcomes) })
	t.Run("page", func(t *testing.T) {
		made, err := Page(comparison, outcomes)
		require.NoError(t, err)
		root, err := gomodule.Root()
		require.NoError(t, err)
		drift, err := generated.Drift(root, []generated.File{{Path: Path, Text: []byte(made)}})
		require.NoError(t, err)
		assert.Empty(t, drift)
	})
}

// everyFact checks that each fact of each mode is the same, the same by a rule, or accepted, and that each rule and each row has a use.
func everyFact(t *testing.T, comparison *Comparison, outcomes []Outcome) {
	same, ruled, excused := 0, 0, 0
	for _, each := range outcomes {
		for _, change := range each.Open {
			assert.Fail(t, "a difference without an entry in accepted.yaml", "%s %s: %s", each.Version, each.Name, change)
		}
		same, ruled, excused = same+each.Same, ruled+each.Ruled, excused+each.Excused
	}
	t.Logf("%d modes: %d facts are the same, %d by a rule, %d differences are accepted", len(outcomes), same, ruled, excused)
	assert.Empty(t, comparison.Rules.Unused(), "rules that no fact needs, or without a reason")
	for _, each := range comparison.Accepted {
		assert.Empty(t, each.Unused(), "rows that accept no difference")
	}
}

// inPlace checks that an API server accepts each object of the chart as an update of the published chart's.
func inPlace(t *testing.T, outcomes []Outcome) {
	checked := 0
	for _, each := range outcomes {
		for _, change := range facts.Refused(each.Facts, each.Have) {
			added := each.Partial && change.Before == nil
			assert.True(t, added || strings.HasPrefix(change.Object, "Job/"), "%s %s: %s cannot be changed by an upgrade in place", each.Version, each.Name, change)
		}
		for object, paths := range each.Facts {
			for path := range paths {
				if each.Have[object] != nil && facts.Immutable(object, path) {
					checked++
				}
			}
		}
	}
	assert.Greater(t, checked, 2500)
}

// closedPrograms checks that no entry would accept the change of a fact that a closed-source program gets unchanged today.
func closedPrograms(t *testing.T, comparison *Comparison, outcomes []Outcome) {
	checked := 0
	at := slices.IndexFunc(outcomes, func(o Outcome) bool { return o.Name == Base && !o.Partial })
	require.GreaterOrEqual(t, at, 0)
	for object, paths := range outcomes[at].Facts {
		for path, value := range paths {
			container, field, ok := strings.Cut(path, "].")
			if !ok || !closed.MatchString(paths[container+"].image"]) || outcomes[at].Have[object][path] != value || strings.HasPrefix(field, "resources.") {
				continue
			}
			checked++
			changed := "changed"
			for _, now := range []*string{nil, &changed} {
				assert.False(t, comparison.accepted(outcomes[at].Mode, facts.Change{Object: object, Path: path, Before: &value, After: now}), "an entry would accept that %s %s changes", object, path)
			}
		}
	}
	assert.Greater(t, checked, 250)
}
