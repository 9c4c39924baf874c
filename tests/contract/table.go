// Package contract compares the umbrella chart with what the published chart provides to the closed-source programs of the runtime: every name,
// port, label, mount, setting and permission, in each scenario of the published chart's values. A difference needs a reason in allow.tsv.
package contract

import (
	_ "embed"
	"fmt"
	"maps"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// Version is the published chart of the contract in the table.
const Version = "0.30.0"

//go:embed runtime-contract-0.30.0.tsv
var published string

// absent is the value of a fact that a scenario lacks.
const absent = "(absent)"

// Base is the scenario that the others are compared with. Subcharts contains the facts of its dependencies.
const (
	Base      = "tunnel"
	Subcharts = "subcharts"
)

// Table is the contract.
type Table struct {
	Scenarios []string // Scenarios are in the order of the file.
	rows      map[string]facts.Facts
	gone      map[string]map[facts.Fact]bool
	base      facts.Facts
}

// Published returns the contract of the published chart.
func Published() (Table, error) { return readTable("runtime-contract-"+Version+".tsv", published) }

func readTable(name, text string) (Table, error) {
	t := Table{rows: map[string]facts.Facts{}, gone: map[string]map[facts.Fact]bool{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		columns := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(columns) != 7 {
			return Table{}, fmt.Errorf("%s:%d: has %d columns instead of 7; separate scenario, kind, object, container, aspect, key and value by tabs", name, number, len(columns))
		}
		if number == 1 {
			continue
		}
		if err := t.add(columns); err != nil {
			return Table{}, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	t.base = t.rows[Base]
	return t, nil
}

func (t *Table) add(columns []string) error {
	scenario, value := columns[0], columns[6]
	fact := facts.Fact{Object: facts.Object{Kind: columns[1], Name: columns[2]}, Container: columns[3], Aspect: columns[4], Key: columns[5]}
	if t.rows[scenario] == nil {
		t.Scenarios = append(t.Scenarios, scenario)
		t.rows[scenario], t.gone[scenario] = facts.Facts{}, map[facts.Fact]bool{}
	}
	if _, twice := t.rows[scenario][fact]; twice || t.gone[scenario][fact] {
		return fmt.Errorf("%s of the scenario %s occurs twice", fact, scenario)
	}
	if value == absent {
		t.gone[scenario][fact] = true
	} else {
		t.rows[scenario][fact] = value
	}
	return nil
}

// Rows returns the facts of a scenario's own rows: all facts of the base, or the differences from it.
func (t Table) Rows(scenario string) facts.Facts { return t.rows[scenario] }

// Gone returns the facts of the base that a scenario lacks.
func (t Table) Gone(scenario string) map[facts.Fact]bool { return t.gone[scenario] }

// Whole returns all facts of a scenario.
func (t Table) Whole(scenario string) facts.Facts {
	if scenario == Base || scenario == Subcharts {
		return t.rows[scenario]
	}
	whole := maps.Clone(t.base)
	maps.DeleteFunc(whole, func(fact facts.Fact, _ string) bool { return t.gone[scenario][fact] })
	maps.Copy(whole, t.rows[scenario])
	return whole
}
