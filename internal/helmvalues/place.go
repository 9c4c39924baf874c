package helmvalues

import "fmt"

// Place is where a value was written.
type Place struct {
	// Value is the path of the value, dots between keys ("global.runtime.name").
	Value string `json:"value,omitempty"`
	// File is the values file as it was named on the command line, or empty.
	File string `json:"file,omitempty"`
	// Line and Column count from 1; 0 when the value is not in a file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Flag is the command-line flag that set the value ("--set"), or empty.
	Flag string `json:"flag,omitempty"`
	// Default is true when the value is the chart's own default.
	Default bool `json:"default,omitempty"`
}

// String formats the place for messages, as in "values.yaml:3:5" or "--set a.b".
func (p Place) String() string {
	switch {
	case p.File != "" && p.Line == 0:
		return p.File
	case p.File != "":
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	case p.Flag != "":
		return p.Flag + " " + p.Value
	case p.Default:
		return p.Value + " (chart default)"
	default:
		return p.Value
	}
}
