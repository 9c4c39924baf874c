package contract

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/contract/facts"
)

// kept returns the scenario's own rows that the chart satisfies, literally or by an equivalent.
func kept(result Result, scenario *Scenario) map[facts.Fact]bool {
	found := map[facts.Fact]bool{}
	for _, finding := range result.Findings {
		if finding.Scenario == scenario.Name && (finding.Outcome == Satisfied || finding.Outcome == Equivalent) {
			found[finding.Fact] = true
		}
	}
	return found
}

// tally counts what mutations did.
type tally struct {
	sync.Mutex
	mutations, rows, removed int
}

// mutatedRights removes each permission of the contract from its accounts, whichever roles grant it.
func mutatedRights(t *testing.T, result Result) {
	var sum tally
	t.Run("scenario", func(t *testing.T) {
		for _, scenario := range result.Scenarios {
			t.Run(scenario.Name, func(t *testing.T) {
				t.Parallel()
				before, rows := scenario.Judge(scenario.Have), 0
				for fact := range kept(result, scenario) {
					if fact.Aspect == "rule" {
						rows++
						takeRight(t, scenario, fact, before)
					}
				}
				sum.Lock()
				defer sum.Unlock()
				sum.rows += rows
			})
		}
	})
	t.Logf("%d permissions, each reported when it is removed", sum.rows)
	assert.Greater(t, sum.rows, 100)
}

func takeRight(t *testing.T, scenario *Scenario, fact facts.Fact, before map[facts.Fact]Judgment) {
	which, _ := parseRight(fact.Key)
	var changed []*unstructured.Unstructured
	for object := range scenario.Have.Objects() {
		if group(object.Kind) != "role" {
			continue
		}
		role := scenario.Have.Rendered(object)
		rules, exact := without(role.Object["rules"], which)
		if exact {
			role = role.DeepCopy()
			role.Object["rules"] = rules
			changed = append(changed, role)
		}
	}
	comparison := Compare(scenario.contract, scenario.Have.With(changed...))
	_, accounts, _ := parseHolders(scenario.contract.whole[fact])
	assert.True(t, comparison.Judge(fact, scenario.contract.whole[fact]).Outcome.Breaks(), "scenario %s: %s is removed from %s, and not reported", scenario.Name, fact, accounts)
	for other, want := range scenario.contract.whole {
		if before[other].Outcome.Breaks() || !comparison.Judge(other, want).Outcome.Breaks() || other.Key == fact.Key && other.Aspect == "rule" {
			continue
		}
		_, _, held := parseHolders(want)
		assert.True(t, held && wider(other, which), "scenario %s: %s is removed, and %s is reported", scenario.Name, fact, other)
	}
}

// wider reports whether a permission may disappear together with another: one covers the other, or the same wildcard granted both.
func wider(other facts.Fact, which right) bool {
	its, ok := parseRight(other.Key)
	covers := func(a, b string) bool { return a == b || a == "*" || b == "*" }
	return ok && covers(its.group, which.group) && covers(its.resource, which.resource) && covers(its.verb, which.verb)
}

// without returns rules that no longer grant a permission, and whether they did. A rule with several groups, resources and verbs is split, one with
// a wildcard is dropped.
func without(rules any, which right) ([]any, bool) {
	items, _ := rules.([]any)
	var left []any
	found := false
	for _, item := range items {
		rule := item.(map[string]any)
		group := which.group
		if group == "core" {
			group = ""
		}
		names, _ := rule["resourceNames"].([]any)
		groups, resources, verbs := list(rule, "apiGroups"), list(rule, "resources"), list(rule, "verbs")
		if !has(groups, group) || !has(resources, which.resource) || !has(verbs, which.verb) || len(names) > 0 && !slices.Contains(names, any(which.name)) {
			left = append(left, item)
			continue
		}
		found = true
		for _, part := range []struct{ groups, resources, verbs, names []any }{
			{drop(groups, group), resources, verbs, names},
			{[]any{group}, drop(resources, which.resource), verbs, names},
			{[]any{group}, []any{which.resource}, drop(verbs, which.verb), names},
			{[]any{group}, []any{which.resource}, []any{which.verb}, drop(names, which.name)},
		} {
			if len(part.groups) == 0 || len(part.resources) == 0 || len(part.verbs) == 0 || len(names) > 0 && len(part.names) == 0 || len(names) == 0 && len(part.verbs) == 1 && part.verbs[0] == any(which.verb) && len(part.resources) == 1 && part.resources[0] == any(which.resource) && len(part.groups) == 1 && part.groups[0] == any(group) {
				continue
			}
			made := map[string]any{"apiGroups": part.groups, "resources": part.resources, "verbs": part.verbs}
			if len(part.names) > 0 {
				made["resourceNames"] = part.names
			}
			left = append(left, made)
		}
	}
	return left, found
}

func list(rule map[string]any, key string) []any {
	items, _ := rule[key].([]any)
	return items
}

func has(items []any, value string) bool {
	return slices.Contains(items, any(value)) || slices.Contains(items, any("*"))
}

func drop(items []any, value string) []any {
	return slices.DeleteFunc(slices.Clone(items), func(item any) bool { return item == any(value) || item == any("*") })
}
