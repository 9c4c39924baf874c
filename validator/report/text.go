package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// Text is the report for people: every check with its status, its findings below it, and a summary.
type Text struct {
	// Color writes the statuses in terminal colors.
	Color bool
}

// labels are the labels of the statuses in the report, all of the same width.
var labels = map[engine.Status]struct{ text, color string }{
	engine.Passed:       {"ok     ", "\x1b[32m"},
	engine.Warned:       {"WARN   ", "\x1b[33m"},
	engine.Failed:       {"FAIL   ", "\x1b[31m"},
	engine.Skipped:      {"skip   ", "\x1b[2m"},
	engine.Inconclusive: {"UNKNOWN", "\x1b[35m"}, // a request got no response
}

const (
	reset  = "\x1b[0m"
	indent = "                 "
)

// Write writes the report.
func (t Text) Write(out io.Writer, report Report) error {
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, heading(report))
	group := ""
	for i := 0; i < len(report.Results); {
		if report.Results[i].Group != group {
			group = report.Results[i].Group
			fmt.Fprintf(w, "\n%s\n", group)
		}
		if skipped := countSameSkips(report.Results[i:]); skipped > 1 {
			t.skips(w, report.Results[i:i+skipped])
			i += skipped
			continue
		}
		t.result(w, report.Results[i])
		i++
	}
	fmt.Fprintf(w, "\n%s\n", report.Summary())
	if codes := failedCodes(report); codes != "" {
		fmt.Fprintf(w, "To read more: validate-values explain %s\n", codes)
	}
	return w.Flush()
}

// countSameSkips returns how many of the first results of a group are skipped for the same reason; they are printed on one line.
func countSameSkips(results []engine.Result) int {
	for i, result := range results {
		if result.Status != engine.Skipped || result.Reason != results[0].Reason || result.Group != results[0].Group {
			return i
		}
	}
	return len(results)
}

func (t Text) skips(w io.Writer, results []engine.Result) {
	var codes []string
	for _, result := range results {
		codes = append(codes, result.Code)
	}
	fmt.Fprintf(w, "  %s  %s (%s)\n", t.label(engine.Skipped), strings.Join(codes, ", "), results[0].Reason)
}

func heading(report Report) string {
	target := report.Target
	action := "install"
	switch {
	case target.Running:
		action = "running"
	case target.Upgrade:
		action = "upgrade"
	}
	parts := []string{"namespace " + target.Namespace, target.Mode + " access", action}
	if target.Runtime != "" {
		parts = append([]string{"runtime " + target.Runtime}, parts...)
	}
	if target.URL != "" {
		parts = append(parts, target.URL)
	}
	return fmt.Sprintf("validate-values %s: %s", report.Version, strings.Join(parts, ", "))
}

// failedCodes returns the codes of the findings that reject the install.
func failedCodes(report Report) string {
	var codes []string
	for _, finding := range report.Findings() {
		if finding.Level == findings.Fail && !strings.Contains(strings.Join(codes, " "), finding.Code) {
			codes = append(codes, finding.Code)
		}
	}
	return strings.Join(codes, " ")
}

func (t Text) result(w io.Writer, result engine.Result) {
	label := t.label(result.Status)
	if result.Reason != "" {
		fmt.Fprintf(w, "  %s  %s  %s (%s)\n", label, result.Code, result.Title, result.Reason)
	} else if len(result.Findings) == 0 {
		fmt.Fprintf(w, "  %s  %s  %s\n", label, result.Code, result.Title)
	}
	t.findings(w, result)
}

func (t Text) findings(w io.Writer, result engine.Result) {
	for _, finding := range result.Findings {
		fmt.Fprintf(w, "  %s  %s  %s\n", t.label(levelStatus(finding.Level)), finding.Code, finding.Message)
		if place := finding.Place.String(); place != "" {
			fmt.Fprintf(w, "%sat   %s\n", indent, place)
		}
		if finding.Fix != "" {
			fmt.Fprintf(w, "%sfix  %s\n", indent, finding.Fix)
		}
	}
}

// Batch writes every file with its status and its findings, then the codes by frequency.
func (t Text) Batch(out io.Writer) Batch { return textBatch{t, bufio.NewWriter(out)} }

type textBatch struct {
	text Text
	out  *bufio.Writer
}

func (f textBatch) Add(report Report) error {
	fmt.Fprintf(f.out, "%s  %s\n", f.text.label(report.Status()), report.File)
	for _, result := range report.Results {
		f.text.findings(f.out, result)
	}
	return f.out.Flush()
}

func (f textBatch) End(total Total) error {
	fmt.Fprintf(f.out, "\nvalidate-values %s: %s\n", total.Version, total.Summary())
	for _, code := range total.Frequent() {
		definition, _ := findings.Lookup(code)
		fmt.Fprintf(f.out, "  %s  %s in %s\n", code, definition.Level, total.counted(total.Codes[code]))
	}
	if codes := total.Frequent(); len(codes) > 0 {
		fmt.Fprintf(f.out, "To read more: validate-values explain %s\n", codes[0])
	}
	return f.out.Flush()
}

func levelStatus(level findings.Level) engine.Status {
	switch level {
	case findings.Fail:
		return engine.Failed
	case findings.Warn:
		return engine.Warned
	default:
		return engine.Inconclusive
	}
}

func (t Text) label(status engine.Status) string {
	label := labels[status]
	if !t.Color {
		return label.text
	}
	return label.color + label.text + reset
}
