//go:build !race

package migrate_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/tests/compat"
	"gitops-runtime/validator/migrate"
)

// needed are the values that every install of the umbrella chart requires.
var needed = map[string]any{"global": map[string]any{
	"codefresh": map[string]any{"accountId": "a1", "userToken": map[string]any{"token": "t"}},
	"runtime":   map[string]any{"name": "production"},
}}

// subsetOf returns some of the published values, one in `every`; of an odd seed some of them with another value of the same type.
func subsetOf(values []compat.Value, seed uint64, every int) map[string]any {
	random := rand.New(rand.NewPCG(seed, seed))
	subset := map[string]any{}
	for _, value := range values {
		truncated := value.Default == nil && value.Type != "null" // the tables leave out long defaults
		if truncated || random.IntN(every) > 0 {
			continue
		}
		set := value.Default
		if seed%2 == 1 && random.IntN(4) == 0 {
			set = another(value)
		}
		subset = chartutil.CoalesceTables(subset, nested(value.Path, set))
	}
	return subset
}

// another returns a value of the same type that differs from the default.
func another(value compat.Value) any {
	switch set := value.Default.(type) {
	case bool:
		return !set
	case float64:
		return set + 1
	}
	switch value.Type {
	case "string":
		return "other"
	case "array":
		return []any{"other"}
	case "object":
		return map[string]any{"other": "other"}
	}
	return value.Default
}

// explained matches an error of a template that names a rule, or what to do.
var explained = regexp.MustCompile(`[A-Z]{3}[1-9][0-9]{2}|fix:|[Ss]et |has to|needs|requires|must`)

// subsets migrates subsets of the published values of a chart.
type subsets struct {
	judge
	values   []compat.Value
	chart    *compat.Chart
	umbrella bool
}

func subsetsOf(t testing.TB, name string) subsets {
	t.Helper()
	values, err := compat.Values(name)
	require.NoError(t, err)
	gone, err := migrate.Of(name)
	require.NoError(t, err)
	chart, err := compat.Load("../..", name)
	require.NoError(t, err)
	return subsets{judgeOf(t, name, gone), values, chart, name == "gitops-runtime"}
}

// rendersOrIsExplained migrates a subset. The new file renders, or each line that the chart rejects is reported, or a template says what is wrong. It reports
// whether the file rendered.
func (s subsets) rendersOrIsExplained(t testing.TB, seed uint64, every int) bool {
	t.Helper()
	values := subsetOf(s.values, seed, every)
	text, err := yaml.Marshal(values)
	require.NoError(t, err)
	migrated, _, err := migrate.File(text, s.gone)
	require.NoError(t, err, "seed %d", seed)
	again, changes, err := migrate.File(migrated, s.gone)
	require.NoError(t, err)
	require.Equal(t, string(migrated), string(again), "seed %d: migrating again changes nothing", seed)
	for _, change := range changes {
		require.Equal(t, migrate.Unchanged, change.Verdict, "seed %d: %s", seed, change.Path)
	}
	after := map[string]any{}
	require.NoError(t, yaml.Unmarshal(migrated, &after))
	if s.umbrella {
		after = chartutil.CoalesceTables(helmvalues.CopyTree(needed), after) // published defaults of these are empty
	}
	rejected, _ := s.check(t, migrated)
	for _, problem := range rejected {
		if seed%2 == 0 {
			t.Logf("seed %d: %s", seed, problem.Message)
		}
		require.NotEmpty(t, problem.Place.Value, "seed %d: %s", seed, problem.Message)
	}
	_, err = s.chart.Render(after)
	switch {
	case len(rejected) > 0:
		require.Error(t, err, "seed %d: migrate reports %s, but Helm accepts it", seed, rejected[0].Message)
		return false
	case err != nil:
		if seed%2 == 0 {
			t.Logf("seed %d: %v", seed, err)
		}
		require.Regexp(t, explained, err.Error(), "seed %d", seed)
		return false
	}
	return true
}

// Random subsets of what the published chart and the community charts read, migrated, render or are explained. Those with published defaults all render.
func TestSubsets(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gitops-runtime", "argo-cd", "argo-events", "argo-rollouts", "argo-workflows"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := subsetsOf(t, name)
			for seed := range uint64(12) {
				rendered := all.rendersOrIsExplained(t, seed, []int{1, 2, 10, 50}[seed/2%4])
				assert.True(t, rendered || seed%2 == 1, "seed %d has published defaults only, but does not render", seed)
			}
		})
	}
}

// FuzzSubsets is TestSubsets with any seed.
func FuzzSubsets(f *testing.F) {
	names := []string{"gitops-runtime", "argo-cd", "argo-events", "argo-rollouts", "argo-workflows"}
	var all []subsets
	for _, name := range names {
		all = append(all, subsetsOf(f, name))
	}
	f.Add(uint64(1), uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, seed uint64, chart, every uint8) {
		all[int(chart)%len(all)].rendersOrIsExplained(t, seed, 1+int(every))
	})
}
