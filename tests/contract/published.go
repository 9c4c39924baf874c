// Package contract compares the umbrella chart with the published chart by what both render, fact by fact and in both directions, in many modes of
// values. A difference needs an entry in accepted.yaml, which names who is affected and what they do; docs/differences.md is generated from it.
package contract

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/internal/facts"
)

//go:embed testdata
var data embed.FS

// Base is the mode that others are compared with in the files of a version: the defaults.
const Base = "tunnel"

// Mode is a set of values, and what a published chart renders with them.
type Mode struct {
	Version, Name string
	Values        map[string]any
	Facts         facts.Facts
	// Partial is true if the facts are not all that the chart renders: only missing and different facts count.
	Partial bool
}

// Modes returns the modes of a published version, in order.
func Modes(version string) ([]Mode, error) {
	folder := "testdata/" + version + "/"
	text, err := data.ReadFile(folder + "modes.json")
	if err != nil {
		return nil, fmt.Errorf("modes of %s: %w", version, err)
	}
	var values map[string]map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("%smodes.json: %w", folder, err)
	}
	all := map[string]facts.Facts{}
	base := facts.Facts{}
	if err := rows(folder+Base+".tsv.gz", 3, func(row []string) { base.Add(row[0], row[1], plain(row[2])) }); err != nil {
		return nil, err
	}
	for name := range values {
		all[name] = facts.Facts{}
		for object, paths := range base {
			all[name][object] = maps.Clone(paths)
		}
	}
	err = rows(folder+"modes.tsv.gz", 5, func(row []string) {
		of, object, path := all[row[0]], row[2], row[3]
		if row[1] == "-" {
			delete(of[object], path)
			if len(of[object]) == 0 {
				delete(of, object)
			}
			return
		}
		of.Add(object, path, plain(row[4]))
	})
	if err != nil {
		return nil, err
	}
	var modes []Mode
	for _, name := range slices.Sorted(maps.Keys(values)) {
		modes = append(modes, Mode{Version: version, Name: name, Values: values[name], Facts: all[name], Partial: version != Version})
	}
	return modes, nil
}

// Version is the published chart whose whole renders are known.
const Version = "0.30.0"

// Versions returns the folders of facts: those of 0.30.0 are of whole renders, the others what the closed-source programs get in further modes.
func Versions() []string { return []string{Version, "0.30.0-settings", "0.24.0"} }

// plain returns a value with its line breaks.
func plain(value string) string {
	if strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") {
		return value
	}
	return strings.ReplaceAll(value, `\n`, "\n")
}

// rows reads a table with tabs, without its heading.
func rows(file string, columns int, row func([]string)) error {
	packed, err := data.ReadFile(file)
	if err != nil {
		return fmt.Errorf("facts of the published chart: %w", err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		fields := strings.SplitN(lines.Text(), "\t", columns)
		if len(fields) != columns {
			return fmt.Errorf("%s:%d: has %d columns instead of %d", file, number, len(fields), columns)
		}
		if number > 1 {
			row(fields)
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Rendered returns the facts of a published version in a mode.
func Rendered(version, mode string) (facts.Facts, error) {
	modes, err := Modes(version)
	if err != nil {
		return nil, err
	}
	for _, each := range modes {
		if each.Name == mode {
			return each.Facts, nil
		}
	}
	return nil, fmt.Errorf("the published chart %s has no mode %s", version, mode)
}
