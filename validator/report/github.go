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

// Write writes one command a finding.
func (GitHub) Write(out io.Writer, report Report) error {
	w := bufio.NewWriter(out)
	for _, finding := range report.Findings() {
		command := "error"
		if finding.Level != findings.Fail {
			command = "warning"
		}
		properties := "title=" + property(finding.Code)
		if finding.Place.File != "" {
			properties = fmt.Sprintf("file=%s,line=%d,col=%d,%s", property(finding.Place.File), finding.Place.Line, finding.Place.Column, properties)
		}
		message := finding.Message
		if finding.Fix != "" {
			message += "\nfix: " + finding.Fix
		}
		fmt.Fprintf(w, "::%s %s::%s\n", command, properties, data(message))
	}
	fmt.Fprintln(w, "::notice title=validate-values::"+data(report.Summary()))
	return w.Flush()
}

// data escapes the text of a workflow command, property a value before it.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
