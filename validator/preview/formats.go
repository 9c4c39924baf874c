package preview

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format writes a report.
type Format func(out io.Writer, report Report) error

// Formats returns the formats by their names.
func Formats(all bool) map[string]Format {
	return map[string]Format{
		"text":     func(out io.Writer, report Report) error { return writeText(out, report, all) },
		"short":    writeShort,
		"json":     writeJSON,
		"markdown": writeMarkdown,
		"html":     writeHTML,
	}
}

func writeJSON(out io.Writer, report Report) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(report)
}

// Heading returns the first line of a report.
func (r Report) Heading() string {
	heading := fmt.Sprintf("From %s to %s, release %s in namespace %s", r.Before, r.After, r.Release, r.Namespace)
	if r.Kubernetes != "" {
		heading += ", Kubernetes " + r.Kubernetes
	}
	return heading
}

// Summary counts the items of a section by what happens, as in "2 added, 3 changed".
func (s Section) Summary() string {
	var words []string
	count := map[string]int{}
	for _, item := range s.Items {
		if count[item.Change]++; count[item.Change] == 1 {
			words = append(words, item.Change)
		}
	}
	for i, one := range words {
		words[i] = fmt.Sprintf("%d %s", count[one], one)
	}
	gaps := 0
	for _, item := range s.Items {
		if slices.Contains(item.Alarms, "gaps") {
			gaps++
		}
	}
	if gaps > 0 {
		words = append(words, plural(gaps, "gap")+" in service")
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// mostDetails is the number of fields of an item that reports for people show.
const mostDetails = 10

// shown returns the fields of an item that reports show, and how many more there are.
func (i Item) shown(all bool) ([]Detail, int) {
	if all || len(i.Details) <= mostDetails+1 {
		return i.Details, 0
	}
	return i.Details[:mostDetails], len(i.Details) - mostDetails
}

// String returns a field on one line: path, both values, cause.
func (d Detail) String() string {
	shown := func(value *string) string {
		switch {
		case value == nil:
			return "none"
		case *value == "":
			return `""`
		}
		return *value
	}
	line := d.Path
	switch {
	case d.Before != nil:
		line += ": " + shown(d.Before) + " -> " + shown(d.After)
	case d.After != nil:
		line += ": " + shown(d.After)
	}
	if d.Cause != "" && d.Cause != byChart {
		line += "  by " + d.Cause
	}
	return line
}

func writeText(out io.Writer, report Report, all bool) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "validate-values %s: preview of an upgrade\n%s\n", report.Version, report.Heading())
	for _, section := range report.Sections {
		fmt.Fprintf(w, "\n%s: %s\n", section.Title, section.Summary())
		component := ""
		for _, item := range section.Items {
			if section.Name == "objects" && item.Component != component {
				component = item.Component
				fmt.Fprintf(w, "  %s\n", component)
			}
			fmt.Fprintf(w, "  %-11s  %s%s\n", item.Change, item.Object, after("  ", item.Message))
			details, more := item.shown(all)
			for _, detail := range details {
				fmt.Fprintf(w, "                %s\n", detail)
			}
			if more > 0 {
				fmt.Fprintf(w, "                and %s; --all shows them\n", plural(more, "more field"))
			}
		}
		for _, sentence := range section.Notes {
			fmt.Fprintf(w, "  %s\n", sentence)
		}
		for _, sentence := range section.Unknown {
			fmt.Fprintf(w, "  UNKNOWN     %s\n", sentence)
		}
	}
	return w.Flush()
}

func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// writeShort writes a line for each section, and one for everything that is refused, lost, or a gap in service.
func writeShort(out io.Writer, report Report) error {
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, report.Heading())
	for _, section := range report.Sections {
		fmt.Fprintf(w, "%s: %s\n", section.Title, section.Summary())
		for _, item := range section.Items {
			if slices.Contains(item.Alarms, "breaks") || slices.Contains(item.Alarms, "gaps") {
				fmt.Fprintf(w, "  %s %s%s\n", item.Change, item.Object, after(": ", item.Message))
			}
		}
		if len(section.Unknown) > 0 {
			fmt.Fprintf(w, "  %d not known\n", len(section.Unknown))
		}
	}
	return w.Flush()
}

// writeMarkdown writes the report for a pull request: a table of the sections, each with its items to open.
func writeMarkdown(out io.Writer, report Report) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "### Preview of the upgrade\n\n%s\n\n| | |\n| --- | --- |\n", plain(report.Heading()))
	for _, section := range report.Sections {
		fmt.Fprintf(w, "| %s | %s |\n", section.Title, section.Summary())
	}
	for _, section := range report.Sections {
		if len(section.Items)+len(section.Unknown) == 0 {
			continue
		}
		open := ""
		if section.Name == "breaks" {
			open = " open"
		}
		fmt.Fprintf(w, "\n<details%s><summary>%s: %s</summary>\n\n", open, section.Title, section.Summary())
		for _, item := range section.Items {
			fmt.Fprintf(w, "- **%s** %s%s\n", item.Change, code(item.Object), plain(after(": ", item.Message)))
			details, more := item.shown(false)
			for _, detail := range details {
				fmt.Fprintf(w, "  - %s\n", code(detail.String()))
			}
			if more > 0 {
				fmt.Fprintf(w, "  - and %s\n", plural(more, "more field"))
			}
		}
		for _, sentence := range append(section.Notes, section.Unknown...) {
			fmt.Fprintf(w, "\n%s\n", plain(sentence))
		}
		fmt.Fprint(w, "\n</details>\n")
	}
	return w.Flush()
}

// plain returns text that Markdown shows as it is.
func plain(text string) string {
	return strings.NewReplacer(`\`, `\\`, "&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "@", "&#64;").Replace(text)
}

// code returns text as code, whatever backticks it has.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}
