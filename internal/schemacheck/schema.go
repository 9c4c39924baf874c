// Package schemacheck validates values against JSON schemas, one or those of a chart and its subcharts, and reports every violation in structured form:
// the path, the kind of rule, and what is allowed. Values are never quoted, since some of them are secret. The package does not know the values of any
// chart.
package schemacheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Kind is the kind of rule that a violation breaks.
type Kind int

// The kinds of a Violation.
const (
	// Unknown is a key that the schema does not contain.
	Unknown Kind = iota
	// Type is a value of the wrong type.
	Type
	// Range is a value that an enum, a pattern or a limit does not allow.
	Range
	// Missing is a required key.
	Missing
	// Dropped is a value of another chart that has no effect here; Want is the reason and what to do instead.
	Dropped
	// Other is any other rule.
	Other
)

// Violation is one value that breaks one rule.
type Violation struct {
	Kind Kind
	// Path contains the keys and list indexes (as decimal numbers) from the root to the value.
	Path []string
	// Want describes what is allowed; for an Unknown key it is the nearest known one.
	Want string
	// Got is the type of the value, for Kind Type.
	Got string
}

// Schema is a JSON schema that values can be validated against.
type Schema struct {
	// rules is the schema as a tree if it is plain; then only the rules that a value may violate are compiled, when they are needed.
	rules map[string]any
	whole *compiled
}

// compiled is the schema as the library compiled it.
type compiled struct {
	root *jsonschema.Schema
	at   map[string]*jsonschema.Schema
}

// address is the name under which the schema is compiled; nothing is loaded from elsewhere.
const address = "values:///values.schema.json"

// Compile parses a schema. A reference to another file is an error.
func Compile(text []byte) (*Schema, error) {
	if rules, ok := read(text); ok && link(rules) && plain(rules) {
		return &Schema{rules: rules.(map[string]any)}, nil
	}
	whole, err := compile(text)
	if err != nil {
		return nil, err
	}
	return &Schema{whole: whole}, nil
}

func compile(text []byte) (*compiled, error) {
	compiler := jsonschema.NewCompiler()
	compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("the schema refers to %s; only references within the file are followed", url)
	}
	if err := compiler.AddResource(address, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("values.schema.json: %w", err)
	}
	root, err := compiler.Compile(address)
	var invalid *jsonschema.SchemaError
	switch {
	case errors.As(err, &invalid):
		return nil, fmt.Errorf("values.schema.json is not a schema: %w", invalid.Err)
	case err != nil:
		return nil, fmt.Errorf("values.schema.json: %w", err)
	}
	result := &compiled{root: root, at: map[string]*jsonschema.Schema{}}
	result.note(root)
	return result, nil
}

// Keys returns the keys that the schema declares for the map at a path of keys; none if it declares none, or if the schema is not plain.
func (s *Schema) Keys(path ...string) []string {
	properties, _ := s.at(path)["properties"].(map[string]any)
	return slices.Collect(maps.Keys(properties))
}

// refuses reports whether a pattern rule of the map at a path applies to a key.
func (s *Schema) refuses(key string, path ...string) bool {
	patterns, _ := s.at(path)["patternProperties"].(patternRules)
	return patterns.match(key)
}

// at returns the rule at a path of keys, nil if there is none.
func (s *Schema) at(path []string) map[string]any {
	at := s.rules
	for _, key := range path {
		properties, _ := at["properties"].(map[string]any)
		at, _ = properties[key].(map[string]any)
	}
	return at
}

// against returns the compiled rules that the values may violate, nil if they are certainly valid.
func (s *Schema) against(values any) (*compiled, error) {
	if s.whole != nil {
		return s.whole, nil
	}
	reduced := reduce(s.rules, values)
	if reduced == true {
		return nil, nil
	}
	text, err := json.Marshal(reduced)
	if err != nil {
		return nil, fmt.Errorf("values.schema.json: %w", err)
	}
	return compile(text)
}

// Violations returns all violations of the schema, sorted by path, each one once.
func (s *Schema) Violations(values any) ([]Violation, error) {
	rules, err := s.against(values)
	if rules == nil {
		return nil, err
	}
	err = rules.root.Validate(values)
	var invalid *jsonschema.ValidationError
	if err == nil {
		return nil, nil
	}
	if !errors.As(err, &invalid) {
		return nil, fmt.Errorf("values.schema.json: %w", err)
	}
	var list []Violation
	rules.flatten(invalid, values, &list)
	sort.SliceStable(list, func(i, j int) bool { return key(list[i]) < key(list[j]) })
	var unique []Violation
	for i, violation := range list {
		if i == 0 || key(violation) != key(list[i-1]) {
			unique = append(unique, violation)
		}
	}
	return unique, nil
}

func key(v Violation) string {
	return strings.Join(v.Path, "\x00") + "\x01" + fmt.Sprint(v.Kind, v.Want)
}

// flatten collects the leaves of an error. Of the alternatives of a oneOf or anyOf it reports only the one that is closest to valid.
func (c *compiled) flatten(cause *jsonschema.ValidationError, values any, list *[]Violation) {
	switch {
	case len(cause.Causes) == 0:
		*list = append(*list, c.violations(cause, values)...)
	case isChoice(cause):
		c.flatten(closest(cause), values, list)
	default:
		for _, inner := range cause.Causes {
			c.flatten(inner, values, list)
		}
	}
}

func isChoice(cause *jsonschema.ValidationError) bool {
	keyword := lastPart(cause.KeywordLocation)
	return keyword == "oneOf" || keyword == "anyOf"
}

// closest returns the alternative with the deepest errors; among equals, the one with the fewest errors.
func closest(cause *jsonschema.ValidationError) *jsonschema.ValidationError {
	best := cause.Causes[0]
	bestDepth, bestCount := measure(best)
	for _, other := range cause.Causes[1:] {
		depth, count := measure(other)
		if depth > bestDepth || depth == bestDepth && count < bestCount {
			best, bestDepth, bestCount = other, depth, count
		}
	}
	return best
}

// measure returns the depth of the shallowest leaf, and the number of leaves.
func measure(cause *jsonschema.ValidationError) (depth, count int) {
	if len(cause.Causes) == 0 {
		return strings.Count(cause.InstanceLocation, "/"), 1
	}
	depth = -1
	for _, inner := range cause.Causes {
		below, leaves := measure(inner)
		if depth < 0 || below < depth {
			depth = below
		}
		count += leaves
	}
	return depth, count
}

func lastPart(location string) string {
	return location[strings.LastIndex(location, "/")+1:]
}
