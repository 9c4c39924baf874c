// Package reportpage writes reports as HTML pages: of one install, or of a batch whose files can be filtered. It is separate from the other formats
// because templates would make the program of the hook's image larger, which does not write pages.
package reportpage

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"gitops-runtime/internal/webpage"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/report"
)

//go:embed parts.gohtml
var parts string

// HTML is the report as an HTML page.
type HTML struct{ templates *template.Template }

// New parses the templates.
func New() (HTML, error) {
	parsed, err := webpage.Parse(parts)
	if err != nil {
		return HTML{}, fmt.Errorf("the templates of the report: %w", err)
	}
	return HTML{parsed}, nil
}

// status is the CSS class and the label of a status.
type status struct{ Class, Word string }

func statusOf(of engine.Status) status {
	return map[engine.Status]status{
		engine.Passed: {"passed", "ok"}, engine.Failed: {"failed", "FAIL"}, engine.Warned: {"warned", "WARN"},
		engine.Inconclusive: {"inconclusive", "UNKNOWN"}, engine.Skipped: {"skipped", "skip"},
	}[of]
}

func levelOf(level findings.Level) status {
	return map[findings.Level]status{
		findings.Fail: {"failed", "FAIL"}, findings.Warn: {"warned", "WARN"}, findings.Inconclusive: {"inconclusive", "UNKNOWN"},
	}[level]
}

func choices(of ...engine.Status) []webpage.Choice {
	var all []webpage.Choice
	for _, one := range of {
		all = append(all, webpage.Choice{Value: statusOf(one).Class, Name: statusOf(one).Word})
	}
	return all
}

type shownFinding struct{ Class, Level, Code, Message, Place, Fix, Why string }

type shownResult struct {
	status
	Code, Title, Reason string
	// Filtered means that the page filters checks instead of files.
	Filtered bool
	Findings []shownFinding
}

type shownGroup struct {
	Name    string
	Results []shownResult
}

type shownReport struct {
	status
	File, Summary string
	Open          bool
	Target        report.Target
	Groups        []shownGroup
	Results       []shownResult
	Choices       []webpage.Choice
}

// Write writes the page of one install.
func (h HTML) Write(out io.Writer, of report.Report) error {
	buffered := bufio.NewWriter(out)
	page, err := webpage.Begin(buffered, h.templates, "Report of validate-values")
	if err != nil {
		return err
	}
	view := shownReport{
		Summary: of.Summary(), Target: of.Target,
		Choices: choices(engine.Failed, engine.Inconclusive, engine.Warned, engine.Passed, engine.Skipped),
	}
	for _, result := range of.Results {
		if last := len(view.Groups) - 1; last < 0 || view.Groups[last].Name != result.Group {
			view.Groups = append(view.Groups, shownGroup{Name: result.Group})
		}
		group := &view.Groups[len(view.Groups)-1]
		group.Results = append(group.Results, shown(result, true))
	}
	if err := page.Part("one", view); err != nil {
		return err
	}
	if err := page.End("validate-values " + of.Version); err != nil {
		return err
	}
	return buffered.Flush()
}

func shown(result engine.Result, filtered bool) shownResult {
	view := shownResult{
		status: statusOf(result.Status), Code: result.Code, Title: result.Title, Reason: result.Reason, Filtered: filtered,
	}
	for _, finding := range result.Findings {
		level := levelOf(finding.Level)
		definition, _ := findings.Lookup(finding.Code)
		view.Findings = append(view.Findings, shownFinding{
			Class: level.Class, Level: level.Word, Code: finding.Code, Message: finding.Message,
			Place: finding.Place.String(), Fix: finding.Fix, Why: definition.Why,
		})
	}
	return view
}

// Batch begins the page of a batch. Files are written in order as they are checked; the summary follows them.
func (h HTML) Batch(out io.Writer) report.Batch {
	buffered := bufio.NewWriter(out)
	page, err := webpage.Begin(buffered, h.templates, "Report of validate-values on many files")
	if err == nil {
		err = page.Part("batch", choices(engine.Failed, engine.Inconclusive, engine.Warned, engine.Passed))
	}
	return &batch{out: buffered, page: page, err: err}
}

type batch struct {
	out  *bufio.Writer
	page *webpage.Page
	err  error
}

// Add writes the results of one file; checks that passed or were skipped are only in its summary.
func (b *batch) Add(of report.Report) error {
	if b.err != nil {
		return b.err
	}
	view := shownReport{status: statusOf(of.Status()), File: of.File, Summary: of.Summary(), Target: of.Target, Open: of.Status() == engine.Failed}
	for _, result := range of.Results {
		if len(result.Findings) > 0 {
			view.Results = append(view.Results, shown(result, false))
		}
	}
	return b.page.Part("file", view)
}

type shownCode struct {
	Code, Why string
	Files     int
}

// End writes the summary.
func (b *batch) End(total report.Total) error {
	if b.err != nil {
		return b.err
	}
	view := struct {
		Summary string
		Codes   []shownCode
	}{Summary: total.Summary()}
	for _, code := range total.Frequent() {
		definition, _ := findings.Lookup(code)
		view.Codes = append(view.Codes, shownCode{Code: code, Files: total.Codes[code], Why: definition.Why})
	}
	if err := b.page.Part("total", view); err != nil {
		return err
	}
	if err := b.page.End("validate-values " + total.Version); err != nil {
		return err
	}
	return b.out.Flush()
}
