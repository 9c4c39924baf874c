// Package compat verifies that values files written for the community's charts work with the charts of this repository.
//
// facts/<chart>.tsv lists published values: path, JSON type and default in the community's chart; facts/<chart>-<version>.tsv lists the values of one
// published version, where versions differ. A value is either honored: another value changes an object; or it is dropped or renamed, and
// internal/dropped/<chart>.yaml contains the reason and the replacement.
package compat

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/internal/dropped"
)

//go:embed facts/*.tsv fixtures/*.yaml
var data embed.FS

// Value is one leaf of a values file.
type Value struct {
	Path dropped.Path
	Type string // Type is a JSON type; null where the default is null.
	// Default is the default of the community's chart; nil if unknown.
	Default any
	// Versions are the published versions that have the value, oldest first; empty where versions do not differ.
	Versions []string
}

// factsFile matches the name of a facts file: a chart and an optional version.
var factsFile = regexp.MustCompile(`^(.*?)(?:-(\d[\d.]*))?\.tsv$`)

// Charts returns the names of the charts that have facts.
func Charts() ([]string, error) {
	files, err := data.ReadDir("facts")
	if err != nil {
		return nil, fmt.Errorf("list the known charts: %w", err)
	}
	var charts []string
	for _, file := range files {
		if chart := factsFile.FindStringSubmatch(file.Name())[1]; !slices.Contains(charts, chart) {
			charts = append(charts, chart)
		}
	}
	return charts, nil
}

// Versions returns the published versions of a chart that have their own facts file, oldest first; none where one file covers all versions.
func Versions(chart string) ([]string, error) {
	files, err := data.ReadDir("facts")
	if err != nil {
		return nil, fmt.Errorf("list the known versions of %s: %w", chart, err)
	}
	var versions []string
	for _, file := range files {
		if parts := factsFile.FindStringSubmatch(file.Name()); parts[1] == chart && parts[2] != "" {
			versions = append(versions, parts[2])
		}
	}
	return versions, nil
}

// Values returns the published values of a chart, in the order of its values file; values that only later versions have come last.
func Values(chart string) ([]Value, error) {
	files, err := data.ReadDir("facts")
	if err != nil {
		return nil, fmt.Errorf("list the known values of %s: %w", chart, err)
	}
	var values []Value
	at := map[string]int{}
	for _, file := range files {
		parts := factsFile.FindStringSubmatch(file.Name())
		if parts[1] != chart {
			continue
		}
		read, err := readValues(file.Name())
		if err != nil {
			return nil, err
		}
		for _, value := range read {
			i, known := at[value.Path.String()]
			if !known {
				i = len(values)
				at[value.Path.String()] = i
				values = append(values, value)
			}
			if parts[2] != "" {
				values[i].Versions = append(values[i].Versions, parts[2])
			}
		}
	}
	if values == nil {
		return nil, fmt.Errorf("no facts file for chart %s", chart)
	}
	return values, nil
}

func readValues(file string) ([]Value, error) {
	text, err := data.ReadFile("facts/" + file)
	if err != nil {
		return nil, fmt.Errorf("read the known values of %s: %w", file, err)
	}
	var values []Value
	for number, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 2 {
			return nil, fmt.Errorf("known values of %s, line %d: want path, type and default separated by tabs, not %q", file, number+1, line)
		}
		value := Value{Path: dropped.ParsePath(fields[0]), Type: fields[1]}
		if len(fields) > 2 && json.Unmarshal([]byte(fields[2]), &value.Default) != nil {
			value.Default = nil // long defaults are truncated
		}
		values = append(values, value)
	}
	return values, nil
}

// Published returns the values.yaml of a version of a chart, or of all versions if version is "", without the values that are too long for the
// facts files.
func Published(chart, version string) (map[string]any, error) {
	file := chart
	if version != "" {
		file += "-" + version
	}
	values, err := readValues(file + ".tsv")
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	for _, value := range values {
		if value.Default != nil || value.Type == "null" {
			tree = overlay(tree, nested(value.Path, value.Default))
		}
	}
	return tree, nil
}
