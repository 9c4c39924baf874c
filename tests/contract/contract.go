package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// scenario is the contract in a scenario, and what its judgment needs to look up.
type scenario struct {
	name     string
	whole    facts.Facts
	objects  map[facts.Object]facts.Facts
	beside   map[facts.Object]facts.Facts // of dependencies, to look references up in
	images   map[facts.Object]map[string]image
	readers  map[string][]facts.Fact // variables that are keys of a ConfigMap, by its name
	accounts []account
	given    map[string]bool // every text of the scenario's values
}

// account is one that pods of a workload have.
type account struct {
	name string
	of   facts.Object
}

// newScenario prepares a scenario of the contract.
func newScenario(table Table, name string) (*scenario, error) {
	values, err := ScenarioValues(name)
	if err != nil {
		return nil, err
	}
	return prepare(name, table.Whole(name), table.Whole(Subcharts), values), nil
}

// prepare makes what is looked up in a scenario: its facts, those of dependencies beside them, and the texts of its values.
func prepare(name string, whole, beside facts.Facts, values map[string]any) *scenario {
	s := &scenario{name: name, whole: whole, beside: byObject(beside), readers: map[string][]facts.Fact{}, given: map[string]bool{}}
	s.objects, s.images = byObject(s.whole), imagesOf(s.whole)
	for fact, value := range s.whole {
		if match := configMapKey.FindStringSubmatch(value); fact.Aspect == "env" && match != nil {
			s.readers[match[1]] = append(s.readers[match[1]], fact)
		}
		if fact.Aspect == "serviceAccount" && fact.Key == "name" {
			s.accounts = append(s.accounts, account{value, fact.Object})
		}
	}
	slices.SortFunc(s.accounts, func(a, b account) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	texts(values, s.given)
	return s
}

func byObject(all facts.Facts) map[facts.Object]facts.Facts {
	found := map[facts.Object]facts.Facts{}
	for fact, value := range all {
		if found[fact.Object] == nil {
			found[fact.Object] = facts.Facts{}
		}
		found[fact.Object][fact] = value
	}
	return found
}

func texts(value any, found map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for _, each := range v {
			texts(each, found)
		}
	case []any:
		for _, each := range v {
			texts(each, found)
		}
	case string:
		found[v] = true
	}
}

// look returns the facts of an object of the contract.
func (s *scenario) look(name facts.Object) (facts.Facts, bool) {
	own, ok := s.objects[name]
	beside, there := s.beside[name]
	if ok && there {
		both := maps.Clone(beside)
		maps.Copy(both, own)
		return both, true
	}
	if ok {
		return own, true
	}
	return beside, there
}

// mountsOf returns what a container of the contract has mounted, by path.
func (s *scenario) mountsOf(object facts.Object, container string) map[string]string {
	return mounts(s.objects[object], container)
}

// containerFacts returns the facts of an aspect of a container of the contract.
func (s *scenario) containerFacts(object facts.Object, container, aspect string) facts.Facts {
	found := facts.Facts{}
	for fact, value := range s.objects[object] {
		if fact.Container == container && fact.Aspect == aspect {
			found[fact] = value
		}
	}
	return found
}
