package report

import (
	"encoding/json"
	"io"
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
func (SARIF) Write(out io.Writer, report Report) error {
	var results []object
	rules, position := []object{}, map[string]int{}
	for _, finding := range report.Findings() {
		if _, known := position[finding.Code]; !known {
			position[finding.Code] = len(rules)
			rules = append(rules, rule(finding.Code))
		}
		results = append(results, sarifResult(finding, position[finding.Code]))
	}
	if results == nil {
		results = []object{}
	}
	log := object{
		"$schema": sarifSchema, "version": sarifVersion,
		"runs": []object{{
			"tool":    object{"driver": object{"name": "validate-values", "version": report.Version, "rules": rules}},
			"results": results,
		}},
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(log)
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

func sarifResult(finding findings.Finding, rule int) object {
	text := finding.Message
	if finding.Fix != "" {
		text += " Fix: " + finding.Fix
	}
	result := object{
		"ruleId": finding.Code, "ruleIndex": rule, "level": sarifLevel(finding.Level),
		"message": object{"text": text},
	}
	location := object{}
	if finding.Place.File != "" {
		location["physicalLocation"] = object{
			"artifactLocation": object{"uri": uri(finding.Place.File)},
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

// uri writes a file name as SARIF wants it: slashes, and the few letters that
// mean something in a URI escaped.
func uri(name string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "?", "%3F", "#", "%23").Replace(filepath.ToSlash(name))
}
