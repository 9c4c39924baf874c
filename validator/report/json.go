package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"gitops-runtime/validator/engine"
)

// The versions of the JSON formats of a report and of a batch; a version changes when a field changes its meaning or is removed.
const (
	JSONVersion      = "validate-values/v1"
	JSONBatchVersion = "validate-values-fleet/v1"
)

// JSON is the report for programs; report.schema.json describes its format.
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

// Batch writes one JSON object with the reports in a list.
func (JSON) Batch(out io.Writer) Batch { return &jsonBatch{out: bufio.NewWriter(out)} }

type jsonBatch struct {
	out  *bufio.Writer
	some bool
}

type jsonPart struct {
	Report
	Status  engine.Status         `json:"status"`
	Summary map[engine.Status]int `json:"summary"`
}

type jsonTotal struct {
	Files     int                   `json:"files"`
	Unchecked int                   `json:"unchecked"`
	Statuses  map[engine.Status]int `json:"statuses"`
	Codes     map[string]int        `json:"codes"`
}

func (f *jsonBatch) Add(report Report) error {
	f.begin()
	if f.some {
		fmt.Fprint(f.out, ",")
	}
	f.some = true
	fmt.Fprint(f.out, "\n    ")
	return indented(f.out, "    ", jsonPart{report, report.Status(), report.Counts()})
}

func (f *jsonBatch) begin() {
	if !f.some {
		fmt.Fprintf(f.out, "{\n  \"schema\": %q,\n  \"reports\": [", JSONBatchVersion)
	}
}

func (f *jsonBatch) End(total Total) error {
	f.begin()
	version, err := json.Marshal(total.Version)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.out, "\n  ],\n  \"version\": %s,\n  \"summary\": ", version)
	if total.Statuses == nil {
		total.Statuses, total.Codes = map[engine.Status]int{}, map[string]int{}
	}
	if err := indented(f.out, "  ", jsonTotal{total.Files, total.Unchecked, total.Statuses, total.Codes}); err != nil {
		return err
	}
	fmt.Fprint(f.out, "\n}\n")
	return f.out.Flush()
}

// indented writes a value as indented JSON, without a line break at its end.
func indented(out *bufio.Writer, prefix string, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent(prefix, "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := out.Write(bytes.TrimRight(text.Bytes(), "\n"))
	return err
}
