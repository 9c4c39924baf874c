package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"gitops-runtime/validator/findings"
)

// SARIF is the report for code scanning, in version 2.1.0 of the format.
type SARIF struct{}

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
)

type object = map[string]any

// Write writes one log with one run.
func (s SARIF) Write(out io.Writer, report Report) error {
	batch := s.Batch(out)
	if report.File == "" {
		report.File = report.Near
	}
	if err := batch.Add(report); err != nil {
		return err
	}
	return batch.End(Total{Version: report.Version})
}

// Batch writes one log with one run for all files.
func (SARIF) Batch(out io.Writer) Batch {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "{\n  \"$schema\": %q,\n  \"runs\": [\n    {\n      \"results\": [", sarifSchema)
	return &sarifBatch{out: w, position: map[string]int{}, rules: []object{}}
}

type sarifBatch struct {
	out      *bufio.Writer
	rules    []object
	position map[string]int
	some     bool
}

func (f *sarifBatch) Add(report Report) error {
	for _, finding := range report.Findings() {
		if _, known := f.position[finding.Code]; !known {
			f.position[finding.Code] = len(f.rules)
			f.rules = append(f.rules, rule(finding.Code))
		}
		if f.some {
			fmt.Fprint(f.out, ",")
		}
		f.some = true
		fmt.Fprint(f.out, "\n        ")
		if err := indented(f.out, "        ", sarifResult(finding, f.position[finding.Code], report.File)); err != nil {
			return err
		}
	}
	return nil
}

func (f *sarifBatch) End(total Total) error {
	if f.some {
		fmt.Fprint(f.out, "\n      ")
	}
	fmt.Fprint(f.out, "],\n      \"tool\": ")
	tool := object{"driver": object{"name": "validate-values", "version": total.Version, "rules": f.rules}}
	if err := indented(f.out, "      ", tool); err != nil {
		return err
	}
	fmt.Fprintf(f.out, "\n    }\n  ],\n  \"version\": %q\n}\n", sarifVersion)
	return f.out.Flush()
}

func rule(code string) object {
	described := object{"id": code}
	if definition, known := findings.Lookup(code); known {
		described["fullDescription"] = object{"text": definition.Why}
		described["defaultConfiguration"] = object{"level": sarifLevel(definition.Level)}
	}
	return described
}

func sarifLevel(level findings.Level) string {
	if level == findings.Fail {
		return "error"
	}
	return "warning"
}

// sarifResult returns the result of one finding. Code scanning rejects a result without a file, so a finding without one gets the file that was
// checked.
func sarifResult(finding findings.Finding, rule int, checked string) object {
	text := finding.Message
	if finding.Fix != "" {
		text += " Fix: " + finding.Fix
	}
	result := object{
		"ruleId": finding.Code, "ruleIndex": rule, "level": sarifLevel(finding.Level),
		"message": object{"text": text},
	}
	location := object{}
	if file := cmp.Or(finding.Place.File, checked); file != "" {
		location["physicalLocation"] = object{
			"artifactLocation": object{"uri": uri(file)},
			"region":           object{"startLine": max(finding.Place.Line, 1), "startColumn": max(finding.Place.Column, 1)},
		}
	}
	if finding.Place.Value != "" {
		location["logicalLocations"] = []object{{"fullyQualifiedName": finding.Place.Value, "kind": "member"}}
	}
	if len(location) > 0 {
		result["locations"] = []object{location}
	}
	return result
}

// uri converts a file name to a URI: with slashes, and escaped, so that a space or a colon has no special meaning. A URL is unchanged.
func uri(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return (&url.URL{Path: filepath.ToSlash(name)}).String()
}
