package contract

import (
	"fmt"

	"gitops-runtime/tests/contract/facts"
)

// Outcome is the result for a fact of the contract.
type Outcome string

// The outcomes. Those from Different on violate the contract, unless the allow-list has a reason.
const (
	Satisfied  Outcome = "satisfied"  // the same
	Equivalent Outcome = "equivalent" // the same value, name or port in another way
	Ignored    Outcome = "ignored"    // tuning, scripts, names and labels of RBAC objects
	Different  Outcome = "different"
	Missing    Outcome = "missing"
	NoObject   Outcome = "object"   // the whole object is missing
	Open       Outcome = "open"     // a field of a kind whose schema accepts anything
	Narrower   Outcome = "narrower" // a permission that is not granted
	More       Outcome = "more"     // an addition to the contract, which has to lack it
)

// Breaks reports whether the outcome needs a reason.
func (o Outcome) Breaks() bool {
	switch o {
	case Satisfied, Equivalent, Ignored:
		return false
	}
	return true
}

// Judgment is an outcome with this chart's value.
type Judgment struct {
	Outcome Outcome
	Have    string
}

// Finding is a judgment on a fact of the contract in a scenario.
type Finding struct {
	Scenario string
	facts.Fact
	Want string
	Judgment
}

// String names scenario, object, container, aspect, key, what the contract has and what this chart has.
func (f Finding) String() string {
	want, have := f.Want, f.Have
	if want == "" {
		want = "nothing"
	}
	if have == "" {
		have = "nothing"
	}
	return fmt.Sprintf("scenario %s: %s is %s: the contract has %s, the chart has %s", f.Scenario, f.Fact, f.Outcome, want, have)
}
