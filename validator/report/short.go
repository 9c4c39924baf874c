package report

import (
	"bufio"
	"fmt"
	"io"
)

// Short is one line a finding and nothing else, for grep and editors.
type Short struct{}

// Write writes "place: level: CODE sentence" for each finding.
func (Short) Write(out io.Writer, report Report) error {
	w := bufio.NewWriter(out)
	for _, finding := range report.Findings() {
		place := finding.Place.String()
		if place == "" {
			place = "-"
		}
		fmt.Fprintf(w, "%s: %s: %s %s\n", place, finding.Level, finding.Code, finding.Message)
	}
	return w.Flush()
}
