package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// scenario is the contract in a scenario, with lookup tables for its judgment.
type scenario struct {
	name     string
	whole    facts.Facts
	objects  map[facts.Object]facts.Facts
	beside   map[facts.Object]facts.Facts // of dependencies, to resolve references
	images   map[facts.Object]map[string]image
	accounts []account
}

// account is the service account of a workload's pods.
type account struct {
	name string
	of   facts.Object
}

// newScenario prepares a scenario of the contract.
func newScenario(table Table, name string) *scenario {
	return prepare(name, table.Whole(name), table.Whole(Subcharts))
}

// prepare creates the lookup tables of a scenario: its facts, and separately those of dependencies.
func prepare(name string, whole, beside facts.Facts) *scenario {
	s := &scenario{name: name, whole: whole, beside: byObject(beside)}
	s.objects, s.images = byObject(s.whole), imagesOf(s.whole)
	for fact, value := range s.whole {
		if fact.Aspect == "serviceAccount" && fact.Key == "name" {
			s.accounts = append(s.accounts, account{value, fact.Object})
		}
	}
	slices.SortFunc(s.accounts, func(a, b account) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
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

// look returns the facts of an object of the contract.
func (s *scenario) look(name facts.Object) (facts.Facts, bool) {
	own, ok := s.objects[name]
	beside, exists := s.beside[name]
	if ok && exists {
		both := maps.Clone(beside)
		maps.Copy(both, own)
		return both, true
	}
	if ok {
		return own, true
	}
	return beside, exists
}

// mountsOf returns what a container of the contract mounts, by path.
func (s *scenario) mountsOf(object facts.Object, container string) map[string]string {
	return mounts(s.objects[object], container)
}
