// Package compat proves that values files written for the community's charts carry over.
//
// facts/<chart>.tsv lists the values that people have: path, JSON type and default of the chart they come from; facts/<chart>-<version>.tsv
// those of one published version, where versions differ. A value is either honored, and testdata/<chart>.txt says which fields of which objects
// change with it, and to what, which a test tries; or it is dropped or renamed, which schema/dropped/<chart>.yaml says together with what to do
// instead. testdata/<chart>-empty.txt says the same of 0, false, "" and [] in place of a chart's own defaults.
// testdata/<chart>-texts.txt says where a text with everything that means something in YAML and in templates stands, of each value that may be one.
package compat

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/schema/dropped"
)

//go:embed facts/*.tsv fixtures/*.yaml
var data embed.FS

// Value is one leaf of a values file.
type Value struct {
	Path dropped.Path
	Type string // Type is a JSON type; null where the default said nothing of it.
	// Default is what the community's chart sets; nil where that is not known.
	Default any
	// Versions are the published versions that have the value, oldest first; none where versions do not differ.
	Versions []string
}

// factsFile is the name of a file of facts: a chart and perhaps a version.
var factsFile = regexp.MustCompile(`^(.*?)(?:-(\d[\d.]*))?\.tsv$`)

// Charts returns the charts whose values are known, by name.
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

// Versions returns the published versions of a chart whose values are known apart, oldest first; none where one table stands for all.
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

// Values returns the values that people have of a chart, in the order of its values file; those that only later versions have come last.
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
		return nil, fmt.Errorf("there are no facts of the chart %s", chart)
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
			return nil, fmt.Errorf("known values of %s, line %d: want path, type and default divided by tabs, not %q", file, number+1, line)
		}
		value := Value{Path: dropped.ParsePath(fields[0]), Type: fields[1]}
		if len(fields) > 2 && json.Unmarshal([]byte(fields[2]), &value.Default) != nil {
			value.Default = nil // long defaults are cut short
		}
		values = append(values, value)
	}
	return values, nil
}

// Published is the values.yaml of a version of a chart, or of the chart whose values one table stands for ("" for version), as far as its
// values are known: what is too long for the tables is left out.
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
