package report

import (
	"encoding/json"
	"io"

	"gitops-runtime/validator/engine"
)

// JSONVersion is the version of the JSON report's form; it changes when a field
// changes its meaning or goes away.
const JSONVersion = "validate-values/v1"

// JSON is the report for programs; its form is in report.schema.json.
type JSON struct{}

type jsonReport struct {
	Schema string `json:"schema"`
	Report
	Summary map[engine.Status]int `json:"summary"`
}

// Write writes one JSON object.
func (JSON) Write(out io.Writer, report Report) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(jsonReport{Schema: JSONVersion, Report: report, Summary: report.Counts()})
}
