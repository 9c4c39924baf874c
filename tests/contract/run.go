package contract

import (
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// Scenario is a scenario of the contract with a render of the chart. It is judged once.
type Scenario struct {
	Name     string
	Have     *facts.Set
	contract *scenario
	counted  facts.Facts // the rows that are judged for it
	gone     map[facts.Fact]bool
}

// NewScenario prepares a render of the scenario for comparison.
func NewScenario(table Table, name string, have *facts.Set) *Scenario {
	return &Scenario{Name: name, Have: have, contract: newScenario(table, name), counted: table.Rows(name), gone: table.Gone(name)}
}

// Judge judges each fact of the scenario, including those that equal the base's.
func (s *Scenario) Judge(have *facts.Set) map[facts.Fact]Judgment {
	comparison := Compare(s.contract, have)
	all := make(map[facts.Fact]Judgment, len(s.contract.whole))
	for fact, want := range s.contract.whole {
		all[fact] = comparison.Judge(fact, want)
	}
	return all
}

// Findings returns the judgments on the scenario's own rows, and on those of the base that only this scenario violates. Base is nil for the base
// and for subcharts.
func (s *Scenario) Findings(base map[facts.Fact]Judgment) []Finding {
	var found []Finding
	for fact, judgment := range s.Judge(s.Have) {
		_, own := s.counted[fact]
		before, known := base[fact]
		if own || known && judgment.Outcome.Breaks() && before != judgment {
			found = append(found, Finding{s.Name, fact, s.contract.whole[fact], judgment})
		}
	}
	slices.SortFunc(found, func(a, b Finding) int { return strings.Compare(a.Fact.String(), b.Fact.String()) })
	return found
}

// Extras returns what this chart gives closed-source programs in addition to the contract, as far as it affects them: variables, arguments, mounts
// and restrictions.
func (s *Scenario) Extras() []Finding {
	comparison := Compare(s.contract, s.Have)
	var found []Finding
	for object, images := range s.contract.images {
		at, ok := comparison.object(object)
		if !ok {
			continue
		}
		all, _ := comparison.look(at)
		for container := range images {
			if own, ok := comparison.container(object, at, container); ok && s.contract.isClosed(object, container) {
				found = append(found, s.beyond(all, own, object, container)...)
			}
		}
	}
	slices.SortFunc(found, func(a, b Finding) int { return strings.Compare(a.Fact.String(), b.Fact.String()) })
	return found
}

func (s *Scenario) beyond(all facts.Facts, own string, object facts.Object, container string) []Finding {
	var found []Finding
	for fact, value := range all {
		theirs := facts.Fact{Object: object, Container: container, Aspect: fact.Aspect, Key: fact.Key}
		_, known := s.contract.whole[theirs]
		if fact.Container != own || known {
			continue
		}
		switch fact.Aspect {
		case "env", "envFrom", "arg", "mount", "securityContext":
			found = append(found, Finding{s.Name, theirs, "", Judgment{More, value}})
		}
	}
	return found
}

// Kept returns the base's objects that the contract lacks in the scenario, but this chart renders.
func (s *Scenario) Kept() []Finding {
	var found []Finding
	for fact := range s.gone {
		if value, ok := s.Have.Get(fact); ok && fact.Aspect == "object" {
			found = append(found, Finding{s.Name, fact, "", Judgment{More, value}})
		}
	}
	slices.SortFunc(found, func(a, b Finding) int { return strings.Compare(a.Fact.String(), b.Fact.String()) })
	return found
}
