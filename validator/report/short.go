package report

import (
	"bufio"
	"fmt"
	"io"
)

// Short writes one line per finding and nothing else, for grep and editors.
type Short struct{}

// Write writes "place: level: CODE sentence" for each finding.
func (Short) Write(out io.Writer, report Report) error {
	w := bufio.NewWriter(out)
	for _, finding := range report.Findings() {
		fmt.Fprintln(w, finding.Line())
	}
	return w.Flush()
}

// Batch writes the lines of every file; a finding outside the file has the file before its place.
func (Short) Batch(out io.Writer) Batch { return shortBatch{bufio.NewWriter(out)} }

type shortBatch struct{ out *bufio.Writer }

func (f shortBatch) Add(report Report) error {
	for _, finding := range report.Findings() {
		place := finding.Place.String()
		switch {
		case place == "":
			place = report.File
		case finding.Place.File != report.File:
			place = report.File + ": " + place
		}
		fmt.Fprintf(f.out, "%s: %s: %s %s\n", place, finding.Level, finding.Code, finding.Message)
	}
	return f.out.Flush()
}

func (f shortBatch) End(Total) error { return f.out.Flush() }
