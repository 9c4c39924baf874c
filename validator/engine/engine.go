// Package engine runs checks: independent ones in parallel, dependent ones in order, each with a deadline, all within one context. It does not know what
// a check does.
package engine

import (
	"context"
	"fmt"
	"time"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/process"
	"gitops-runtime/validator/findings"
)

// Status is the status of a check that has ended.
type Status string

// The statuses of a check.
const (
	Passed       Status = "pass"
	Warned       Status = "warn"
	Failed       Status = "fail"
	Skipped      Status = "skipped"
	Inconclusive Status = "inconclusive"
)

// Check is one row of the table of checks.
type Check struct {
	// Code is a multiple of 100, such as RUN200; its findings are RUN201 and so on.
	Code string
	// Title describes what is true if the check passes.
	Title string
	// Group is the heading of the check in reports.
	Group string
	// Needs are the codes of checks that have to succeed before this one starts.
	Needs []string
	// After are the codes of checks that have to end before this one starts, whatever their status.
	After []string
	// Essential is true if an install depends on the result.
	Essential bool
	// Deadline limits the duration of this check; with zero only the deadline of the run applies.
	Deadline time.Duration
	// About, if not nil, is the value that the check reads or connects to: the place of the finding that it got no response.
	About func() helmvalues.Place
	// Run runs the check. It should end when its context does; otherwise its outcome is discarded.
	Run func(ctx context.Context) Outcome
}

// Outcome contains the findings of a check, or the reason why it did not apply or could not run.
type Outcome struct {
	Findings []findings.Finding
	// Note, if not empty, names what the check could not measure; it does not change the status.
	Note string
	// Skip, if not empty, is the reason why the check did not apply; checks that need it continue.
	Skip string
	// Lacks, if not empty, names what the check needs and does not have ("a cluster"); checks that need this one are skipped, too, even if all
	// findings are warnings.
	Lacks string
}

// Result is a check with its status and findings.
type Result struct {
	Code     string             `json:"code"`
	Title    string             `json:"title"`
	Group    string             `json:"group"`
	Status   Status             `json:"status"`
	Reason   string             `json:"reason,omitempty"`
	Findings []findings.Finding `json:"findings,omitempty"`
	// Essential is that of the Check.
	Essential bool `json:"-"`
	// holds is true if checks that need this one can continue.
	holds bool
}

// Options limit the duration of a run and omit checks and findings.
type Options struct {
	// Deadline limits the duration of the whole run.
	Deadline time.Duration
	// Skip names checks that are not run and findings that are omitted, with the flag that requested it ("--skip").
	Skip map[string]string
}

// Run runs the checks and returns a result for each, in the order of the table; equal outcomes have equal results. It returns as soon as the context
// ends; checks that have not ended by then are inconclusive.
func Run(ctx context.Context, table []Check, options Options) []Result {
	// The context ends with the run, so that a check that is still running can stop.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if options.Deadline > 0 {
		ctx, cancel = context.WithTimeout(ctx, options.Deadline)
		defer cancel()
	}
	pending := map[string]*pending{}
	for _, check := range table {
		pending[check.Code] = newPending()
	}
	for _, check := range table {
		go func() { pending[check.Code].settle(run(ctx, check, options, pending)) }()
	}
	results := make([]Result, 0, len(table))
	for _, check := range table {
		expected := pending[check.Code]
		<-expected.done // the context limits every check
		result := expected.result
		result.Essential = check.Essential
		results = append(results, result)
	}
	return results
}

// pending is a result that is not available yet.
type pending struct {
	done   chan struct{}
	result Result
}

func newPending() *pending { return &pending{done: make(chan struct{})} }

func (p *pending) settle(result Result) {
	p.result = result
	close(p.done)
}

func run(ctx context.Context, check Check, options Options, others map[string]*pending) Result {
	if by, skip := options.Skip[check.Code]; skip {
		return skipped(check, "on request: "+by)
	}
	for _, before := range check.After {
		other, known := others[before]
		if !known {
			continue
		}
		<-other.done
		if ctx.Err() != nil && !other.result.holds {
			return skipped(check, "needs "+before) // the time ended while the other check ran
		}
	}
	for _, need := range check.Needs {
		other, known := others[need]
		if !known {
			continue
		}
		<-other.done
		if !other.result.holds {
			return skipped(check, "needs "+need)
		}
	}
	return without(options.Skip, perform(ctx, check))
}

// perform runs a check until its deadline, and does not wait for one that exceeds it.
func perform(ctx context.Context, check Check) Result {
	outer := ctx
	if check.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, check.Deadline)
		defer cancel()
	}
	type ending struct {
		outcome Outcome
		crashed error
	}
	ended := make(chan ending, 1)
	go func() {
		var end ending
		defer func() { ended <- end }()
		defer process.ContainPanic(&end.crashed)
		end.outcome = check.Run(ctx)
	}()
	select {
	case end := <-ended:
		if end.crashed != nil {
			return unanswered(check, end.crashed.Error())
		}
		if ctx.Err() == nil {
			return conclude(check, end.outcome)
		}
	case <-ctx.Done():
	}
	if outer.Err() != nil {
		return unanswered(check, interruption(outer))
	}
	return unanswered(check, fmt.Sprintf("no answer within %s", check.Deadline))
}

func interruption(ctx context.Context) string {
	if ctx.Err() == context.DeadlineExceeded {
		return "the time for the whole run was over"
	}
	return "the run was interrupted"
}

func conclude(check Check, outcome Outcome) Result {
	result := Result{Code: check.Code, Title: check.Title, Group: check.Group, Status: Passed, Reason: outcome.Note, Findings: outcome.Findings}
	result.Status = worst(outcome.Findings)
	result.holds = (result.Status == Passed || result.Status == Warned) && outcome.Lacks == ""
	if len(outcome.Findings) > 0 {
		return result
	}
	switch {
	case outcome.Lacks != "":
		result.Status, result.Reason = Skipped, "needs "+outcome.Lacks
	case outcome.Skip != "":
		result.Status, result.Reason = Skipped, outcome.Skip
	}
	return result
}

// worst returns the status of a check, determined by its most severe finding.
func worst(found []findings.Finding) Status {
	status := Passed
	for _, finding := range found {
		switch {
		case finding.Level == findings.Fail:
			return Failed
		case finding.Level == findings.Inconclusive:
			status = Inconclusive
		case status == Passed:
			status = Warned
		}
	}
	return status
}

func skipped(check Check, reason string) Result {
	return Result{Code: check.Code, Title: check.Title, Group: check.Group, Status: Skipped, Reason: reason}
}

func unanswered(check Check, reason string) Result {
	finding := findings.Finding{Code: check.Code, Level: findings.Inconclusive, Message: check.Title + "? Unknown: " + reason + "."}
	if definition, known := findings.Lookup(check.Code); known {
		finding.Fix = definition.Fix
	}
	if check.About != nil {
		finding.Place = check.About()
	}
	return Result{
		Code: check.Code, Title: check.Title, Group: check.Group,
		Status: Inconclusive, Findings: []findings.Finding{finding},
	}
}

// without removes the findings that are to be omitted. A check without other findings counts as skipped, so that the report shows it. Whether dependent
// checks run does not change: an omitted failure is still a failure.
func without(skip map[string]string, result Result) Result {
	var kept []findings.Finding
	var omitted []string
	for _, finding := range result.Findings {
		if by, out := skip[finding.Code]; out {
			omitted = append(omitted, finding.Code+" "+by)
			continue
		}
		kept = append(kept, finding)
	}
	if len(omitted) == 0 {
		return result
	}
	result.Findings = kept
	result.Reason = "left out on request: " + omitted[0]
	result.Status = worst(kept)
	if len(kept) == 0 {
		result.Status = Skipped
	}
	return result
}
