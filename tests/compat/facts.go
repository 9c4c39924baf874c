// Package compat proves that values files written for the community's charts carry over.
//
// facts/<chart>.tsv lists the values that people have: path, JSON type and default of the chart they come from. A value is
// either honoured, which a test shows by changing it and seeing a rendered object change, or dropped, which
// schema/dropped/<chart>.yaml says together with what to do instead.
package compat

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"gitops-runtime/schema"
)

//go:embed facts/*.tsv fixtures/*.yaml
var data embed.FS

// Value is one leaf of a values file.
type Value struct {
	Path schema.Path
	Type string // Type is a JSON type; null where the default said nothing of it.
	// Default is what the community's chart sets; nil where that is not known.
	Default any
}

// Charts returns the charts whose values are known, by name.
func Charts() ([]string, error) {
	files, err := data.ReadDir("facts")
	if err != nil {
		return nil, fmt.Errorf("list the known charts: %w", err)
	}
	var charts []string
	for _, file := range files {
		charts = append(charts, strings.TrimSuffix(file.Name(), ".tsv"))
	}
	return charts, nil
}

// Values returns the values that people have of a chart, in the order of its values file.
func Values(chart string) ([]Value, error) {
	text, err := data.ReadFile("facts/" + chart + ".tsv")
	if err != nil {
		return nil, fmt.Errorf("read the known values of %s: %w", chart, err)
	}
	var values []Value
	for number, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 2 {
			return nil, fmt.Errorf("known values of %s, line %d: want path, type and default divided by tabs, not %q", chart, number+1, line)
		}
		value := Value{Path: schema.ParsePath(fields[0]), Type: fields[1]}
		if len(fields) > 2 && json.Unmarshal([]byte(fields[2]), &value.Default) != nil {
			value.Default = nil // long defaults are cut short
		}
		values = append(values, value)
	}
	return values, nil
}
