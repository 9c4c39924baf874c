package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"gitops-runtime/validator/findings"
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations on
// the lines of the values file.
type GitHub struct{}

// Write writes one command per finding. GitHub shows only those that name a file next to the code, so a finding without a file gets the last values
// file.
func (GitHub) Write(out io.Writer, report Report) error {
	w := bufio.NewWriter(out)
	report.File = report.Near
	for _, finding := range report.placed() {
		annotate(w, finding)
	}
	fmt.Fprintln(w, "::notice title=validate-values::"+data(report.Summary()))
	return w.Flush()
}

// Batch writes the commands of every file, and one for all of them.
func (GitHub) Batch(out io.Writer) Batch { return githubBatch{bufio.NewWriter(out)} }

type githubBatch struct{ out *bufio.Writer }

func (f githubBatch) Add(report Report) error {
	for _, finding := range report.placed() {
		annotate(f.out, finding)
	}
	return f.out.Flush()
}

func (f githubBatch) End(total Total) error {
	fmt.Fprintln(f.out, "::notice title=validate-values::"+data(total.Summary()))
	return f.out.Flush()
}

func annotate(w io.Writer, finding findings.Finding) {
	command := "error"
	if finding.Level != findings.Fail {
		command = "warning"
	}
	properties := "title=" + property(finding.Code)
	if place := finding.Place; place.File != "" {
		where := "file=" + property(place.File)
		if place.Line > 0 {
			where += fmt.Sprintf(",line=%d,col=%d", place.Line, place.Column)
		}
		properties = where + "," + properties
	}
	message := finding.Message
	if finding.Fix != "" {
		message += "\nfix: " + finding.Fix
	}
	fmt.Fprintf(w, "::%s %s::%s\n", command, properties, data(message))
}

// data escapes the text of a workflow command, property a value before it.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
