// Package selftest makes the parts of an installed runtime do their work, as the
// chart's test hooks (helm test) do it in pods. Each test writes a line for each
// thing that it tries, and removes what it creates. It knows nothing of how a chart
// is rendered: addresses and names come as options.
package selftest

import (
	"fmt"
	"io"

	"gitops-runtime/internal/cleantext"
)

// Check is one thing that a test tries.
type Check struct {
	// Name is the code of the check: the test and a word, such as argo-cd/sync.
	Name string
	// Title says what holds when the check passes.
	Title string
	// Asked says what the test does, and Fix what to look at when that fails.
	Asked, Fix string
}

// Report writes the outcome of each check as it is known.
type Report struct {
	out            io.Writer
	passed, failed int
}

// NewReport begins a report; heading is its first line.
func NewReport(out io.Writer, heading string) *Report {
	fmt.Fprintf(out, "%s\n\n", cleantext.Line(heading))
	return &Report{out: out}
}

// Add notes how a check ended: err is what came in place of what was expected, got
// what came otherwise. It is true for a check that passed.
func (r *Report) Add(check Check, got string, err error) bool {
	line := func(label, text string) { fmt.Fprintf(r.out, "  %-6s%s\n", label, cleantext.Line(text)) }
	if err == nil {
		r.passed++
		line("ok", fmt.Sprintf("%s  %s%s", check.Name, check.Title, inBrackets(got)))
		return true
	}
	r.failed++
	line("FAIL", check.Name+"  "+check.Title)
	for _, detail := range []struct{ label, text string }{{"asked", check.Asked}, {"got", err.Error()}, {"fix", check.Fix}} {
		fmt.Fprintf(r.out, "          %-7s%s\n", detail.label, cleantext.Line(detail.text))
	}
	return false
}

// Skip notes a check that does not apply.
func (r *Report) Skip(check Check, reason string) {
	fmt.Fprintf(r.out, "  %-6s%s\n", "skip", cleantext.Line(fmt.Sprintf("%s  %s%s", check.Name, check.Title, inBrackets(reason))))
}

// Close writes the summary; it is true where no check failed.
func (r *Report) Close() bool {
	fmt.Fprintf(r.out, "\n%d passed, %d failed\n", r.passed, r.failed)
	return r.failed == 0
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
