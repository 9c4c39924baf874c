package report

import (
	"encoding/xml"
	"io"
	"strings"

	"gitops-runtime/validator/engine"
)

// JUnit is the report as test results, a case for each check.
type JUnit struct{}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

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

// Write writes one testsuites element.
func (JUnit) Write(out io.Writer, report Report) error {
	counts := report.Counts()
	suite := junitSuite{
		Name: "validate-values", Tests: len(report.Results), Failures: counts[engine.Failed],
		Errors: counts[engine.Inconclusive], Skipped: counts[engine.Skipped],
	}
	for _, result := range report.Results {
		suite.Cases = append(suite.Cases, junit(result))
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
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
