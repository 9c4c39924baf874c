package contract

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/tests/contract/facts"
)

// Result is the comparison of the contract with the umbrella chart, in every scenario.
type Result struct {
	Table     Table
	Scenarios []*Scenario // Scenarios are in the order of the table.
	Findings  []Finding   // Findings are in the order of scenarios.
	base      map[facts.Fact]Judgment
}

// Hold renders the umbrella chart in every scenario, several in parallel, and judges each fact of the contract.
func Hold(ctx context.Context) (Result, error) {
	table, err := Published()
	if err != nil {
		return Result{}, err
	}
	result := Result{Table: table, Scenarios: make([]*Scenario, len(table.Scenarios))}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range table.Scenarios {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			have, err := Render(name)
			if err != nil {
				return err
			}
			result.Scenarios[i] = NewScenario(table, name, have)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Result{}, fmt.Errorf("compare the chart with the contract: %w", err)
	}
	result.judge()
	return result, nil
}

func (r *Result) judge() {
	known := map[facts.Fact]string{} // extras of the base
	at := slices.IndexFunc(r.Scenarios, func(s *Scenario) bool { return s.Name == Base })
	r.base = r.Scenarios[at].Judge(r.Scenarios[at].Have)
	for _, extra := range r.Scenarios[at].Extras() {
		known[extra.Fact] = extra.Have
	}
	for _, scenario := range r.Scenarios {
		switch scenario.Name {
		case Base:
			r.Findings = append(append(r.Findings, scenario.Findings(nil)...), scenario.Extras()...)
		case Subcharts:
			r.Findings = append(r.Findings, scenario.Findings(nil)...)
		default:
			r.Findings = append(append(r.Findings, scenario.Findings(r.base)...), scenario.Kept()...)
			for _, extra := range scenario.Extras() {
				if known[extra.Fact] != extra.Have {
					r.Findings = append(r.Findings, extra)
				}
			}
		}
	}
}

// Scenario returns the scenario with a name, nil if it does not exist.
func (r *Result) Scenario(name string) *Scenario {
	for _, scenario := range r.Scenarios {
		if scenario.Name == name {
			return scenario
		}
	}
	return nil
}
