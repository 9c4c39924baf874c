package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/contract/facts"
)

// mutations removes and changes every field of every object in the contract. Each fact that the chart satisfies is reported for at least one of
// them, and no mutation is reported for an unrelated fact.
func mutations(t *testing.T, result Result) {
	var sum tally
	t.Run("scenario", func(t *testing.T) {
		for _, scenario := range result.Scenarios {
			t.Run(scenario.Name, func(t *testing.T) {
				t.Parallel()
				m := &mutant{t: t, scenario: scenario, left: kept(result, scenario), before: scenario.Judge(scenario.Have), reported: map[facts.Fact]bool{}}
				maps.DeleteFunc(m.left, func(fact facts.Fact, _ bool) bool { return fact.Aspect == "rule" })
				rows := len(m.left)
				m.run()
				for fact := range m.left {
					assert.True(t, m.reported[fact], "scenario %s: %s: no mutation of the chart's manifests is reported for it", scenario.Name, fact)
				}
				sum.Lock()
				defer sum.Unlock()
				sum.mutations, sum.rows, sum.removed = sum.mutations+m.tried, sum.rows+rows, sum.removed+m.removed
			})
		}
	})
	t.Logf("%d mutations reported; %d facts, each by a removal", sum.mutations, sum.rows)
	assert.Equal(t, sum.rows, sum.removed, "facts that are reported when they are removed, not only when they change")
	assert.Greater(t, sum.rows, 1000)
}

type mutant struct {
	t              *testing.T
	scenario       *Scenario
	comparison     *Comparison
	left           map[facts.Fact]bool
	before         map[facts.Fact]Judgment
	reported       map[facts.Fact]bool
	tried, removed int
}

func (m *mutant) run() {
	m.comparison = Compare(m.scenario.contract, m.scenario.Have)
	objects := map[facts.Object][]facts.Fact{}
	for fact := range m.left {
		if at, ok := m.comparison.object(fact.Object); ok {
			objects[at] = append(objects[at], fact)
		}
	}
	for object, own := range objects {
		rendered := m.scenario.Have.Rendered(object)
		require.NotNil(m.t, rendered, object)
		gone := m.scenario.Have.Without(rendered)
		m.judge(object, "is not rendered", true, Compare(m.scenario.contract, gone), m.scenario.contract.whole)
		m.each(object, rendered.DeepCopy(), own)
	}
}

// each tries the operations on an object. Those that change the same facts in the same way are tried once; where the base has tried all of them,
// another scenario stops when each of its own rows was reported.
func (m *mutant) each(object facts.Object, changing *unstructured.Unstructured, own []facts.Fact) {
	near := m.near(object)
	before := m.scenario.Have.Objects()[object]
	seen := map[string]bool{}
	for _, operation := range operations(changing.Object) {
		own = slices.DeleteFunc(own, func(fact facts.Fact) bool { return m.scenario.Name != Base && m.reported[fact] })
		if len(own) == 0 {
			return
		}
		operation.apply()
		changed := changes(before, m.scenario.Have.Facts(changing))
		if key := fmt.Sprint(changed); len(changed) > 0 && !seen[key] && m.concerns(own, changed) {
			seen[key] = true
			comparison := m.comparison.With(m.scenario.Have.With(changing), object)
			m.judge(object, operation.path, operation.removes, comparison, near)
			m.heard(operation.path, changed, comparison)
		}
		operation.undo()
	}
}

// heard checks that a removed fact is reported, unless its value is found under another name: that of a port or a container, or at another position
// of a command line.
func (m *mutant) heard(path string, changed map[facts.Fact]string, comparison *Comparison) {
	for fact, how := range changed {
		if !m.left[fact] || how != gone {
			continue
		}
		judgment := comparison.Judge(fact, m.scenario.contract.whole[fact])
		if judgment.Outcome == Equivalent && !strings.HasPrefix(judgment.Have, "named ") && judgment.Have != "at another place" && judgment.Have != m.before[fact].Have {
			assert.Failf(m.t, "a lost fact is accepted", "scenario %s: %s: %s is gone, and accepted as %s", m.scenario.Name, path, fact, judgment.Have)
		}
	}
}

// gone is the change of a fact that no longer exists.
const gone = "is gone"

// concerns reports whether changed facts are among rows. A fact that is elsewhere in the chart matches any change.
func (m *mutant) concerns(rows []facts.Fact, changed map[facts.Fact]string) bool {
	return slices.ContainsFunc(rows, func(fact facts.Fact) bool {
		_, direct := m.scenario.Have.Get(fact)
		_, ok := changed[fact]
		return ok || !direct
	})
}

// near returns the facts that can be related to an object: its own, those of its name, and those that refer to it.
func (m *mutant) near(object facts.Object) facts.Facts {
	found := facts.Facts{}
	for fact, want := range m.scenario.contract.whole {
		if fact.Object.Name == object.Name || m.follows(object, fact, m.scenario.Have) || fact.Aspect == "servicePort" && facts.IsWorkload(object.Kind) {
			found[fact] = want
		}
	}
	return found
}

// changes returns the facts in which two sets differ, with the values of the second.
func changes(before, after facts.Facts) map[facts.Fact]string {
	found := map[facts.Fact]string{}
	for fact, value := range before {
		if now, ok := after[fact]; !ok {
			found[fact] = gone
		} else if now != value {
			found[fact] = "is " + now
		}
	}
	for fact, value := range after {
		if _, ok := before[fact]; !ok {
			found[fact] = "is " + value
		}
	}
	return found
}

// judge compares a mutated render.
func (m *mutant) judge(object facts.Object, path string, removes bool, comparison *Comparison, rows facts.Facts) {
	touched := false
	for fact, want := range rows {
		before := m.before[fact]
		if before.Outcome.Breaks() || before.Outcome == Ignored || !comparison.Judge(fact, want).Outcome.Breaks() {
			continue
		}
		touched = true
		assert.True(m.t, m.follows(object, fact, comparison.have), "scenario %s: %s %s: reports %s, which is unrelated", m.scenario.Name, object, path, fact)
		if m.left[fact] && !m.reported[fact] {
			m.reported[fact] = true
			if removes {
				m.removed++
			}
		}
	}
	if touched {
		m.tried++
	}
}

// follows reports whether a fact may be reported for a mutated object: its own fact or what it refers to has changed.
func (m *mutant) follows(object facts.Object, fact facts.Fact, set *facts.Set) bool {
	if fact.Object.Name == object.Name {
		return true
	}
	value := m.scenario.contract.whole[fact]
	have, _ := m.scenario.Have.Get(fact)
	switch fact.Aspect {
	case "env":
		return object.Kind == "ConfigMap" && strings.Contains(value+" "+have, "configMapKeyRef:"+object.Name+"/") || object.Kind == "Secret" && strings.Contains(have, "secretKeyRef:"+object.Name+"/")
	case "rule":
		return facts.IsWorkload(object.Kind) || object.Kind == "ServiceAccount" || strings.Contains(object.Kind, "Role")
	case "servicePort":
		now, _ := set.Get(fact)
		return now != have
	}
	return false
}
