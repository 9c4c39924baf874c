package preview

import (
	"bufio"
	_ "embed"
	"io"
	"slices"

	"gitops-runtime/internal/webpage"
)

//go:embed page.gohtml
var parts string

type shownItem struct {
	Item
	Class string
	Lines []string
}

type shownSection struct {
	Section
	Shown []shownItem
}

// writeHTML writes the report as a self-contained page with a filter.
func writeHTML(out io.Writer, report Report) error {
	templates, err := webpage.Parse(parts)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	page, err := webpage.Begin(buffered, templates, "Preview of an upgrade")
	if err != nil {
		return err
	}
	view := struct {
		Report
		Choices []webpage.Choice
		Shown   []shownSection
	}{Report: report, Choices: []webpage.Choice{
		{Value: "failed", Name: "refused, lost"}, {Value: "warned", Name: "restarts, gains"}, {Value: "passed", Name: "other"},
	}}
	for _, section := range report.Sections {
		one := shownSection{Section: section}
		for _, item := range section.Items {
			shown := shownItem{Item: item, Class: class(item)}
			for _, detail := range item.Details {
				shown.Lines = append(shown.Lines, detail.String())
			}
			one.Shown = append(one.Shown, shown)
		}
		view.Shown = append(view.Shown, one)
	}
	if err := page.Part("preview", view); err != nil {
		return err
	}
	if err := page.End("validate-values " + report.Version); err != nil {
		return err
	}
	return buffered.Flush()
}

// class returns the CSS class of an item, which the filter reads.
func class(item Item) string {
	has := func(alarm string) bool { return slices.Contains(item.Alarms, alarm) }
	switch {
	case has("breaks"), has("gaps"):
		return "failed"
	case has("restarts"), has("rights"), has("connections"), has("secrets"), has("vulnerabilities"), has("removals"):
		return "warned"
	}
	return "passed"
}
