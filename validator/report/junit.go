package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"gitops-runtime/validator/engine"
)

// JUnit is the report as test results, with a test case for each check.
type JUnit struct{}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Write writes one testsuites element with one suite.
func (j JUnit) Write(out io.Writer, report Report) error {
	batch := j.Batch(out)
	if err := batch.Add(report); err != nil {
		return err
	}
	return batch.End(Total{})
}

// Batch writes a suite for every file.
func (JUnit) Batch(out io.Writer) Batch {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, xml.Header+"<testsuites>")
	return junitBatch{w}
}

type junitBatch struct{ out *bufio.Writer }

func (f junitBatch) Add(report Report) error {
	counts := report.Counts()
	suite := junitSuite{
		Name: cmp.Or(report.File, "validate-values"), Tests: len(report.Results), Failures: counts[engine.Failed],
		Errors: counts[engine.Inconclusive], Skipped: counts[engine.Skipped],
	}
	for _, result := range report.Results {
		suite.Cases = append(suite.Cases, junit(result))
	}
	fmt.Fprint(f.out, "\n")
	encoder := xml.NewEncoder(f.out)
	encoder.Indent("  ", "  ")
	return encoder.EncodeElement(suite, xml.StartElement{Name: xml.Name{Local: "testsuite"}})
}

func (f junitBatch) End(Total) error {
	fmt.Fprint(f.out, "\n</testsuites>\n")
	return f.out.Flush()
}

func junit(result engine.Result) junitCase {
	one := junitCase{Class: "validate-values." + strings.ReplaceAll(result.Group, " ", "-"), Name: result.Code + " " + result.Title}
	var lines []string
	for _, finding := range result.Findings {
		line := finding.Code + ": " + finding.Message
		if place := finding.Place.String(); place != "" {
			line = place + ": " + line
		}
		if finding.Fix != "" {
			line += " Fix: " + finding.Fix
		}
		lines = append(lines, line)
	}
	text := strings.Join(lines, "\n")
	switch result.Status {
	case engine.Failed:
		one.Failure = &junitMessage{result.Findings[0].Message, text}
	case engine.Inconclusive:
		one.Error = &junitMessage{result.Findings[0].Message, text}
	case engine.Skipped:
		one.Skipped = &junitMessage{Message: result.Reason}
	default:
		one.Output = text
	}
	return one
}
