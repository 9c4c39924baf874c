// Package selftest tests the components of an installed runtime, as the chart's test hooks (helm test) do in pods. Each test writes a line for each
// step, and removes what it creates. It does not know how a chart is rendered: addresses and names are options.
package selftest

import (
	"fmt"
	"io"

	"gitops-runtime/internal/cleantext"
)

// Check is one step of a test.
type Check struct {
	// Name is the code of the check: the test and a word, such as argo-cd/sync.
	Name string
	// Title describes what is true if the check passes.
	Title string
	// Asked is what the test does, and Fix what to check if that fails.
	Asked, Fix string
}

// Report writes the outcome of each check as soon as it is known.
type Report struct {
	out            io.Writer
	passed, failed int
}

// NewReport begins a report; heading is its first line.
func NewReport(out io.Writer, heading string) *Report {
	fmt.Fprintf(out, "%s\n\n", cleantext.Line(heading))
	return &Report{out: out}
}

// Add writes the result of a check: err is the failure, nil if the check passed; got is the result then. It reports whether the check passed.
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

// Skip writes that a check does not apply, and the reason.
func (r *Report) Skip(check Check, reason string) {
	fmt.Fprintf(r.out, "  %-6s%s\n", "skip", cleantext.Line(fmt.Sprintf("%s  %s%s", check.Name, check.Title, inBrackets(reason))))
}

// Close writes the summary; it returns true if no check failed.
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
