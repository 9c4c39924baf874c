// Package valueschema validates values against JSON schemas, one or those of a chart and its subcharts, and reports every violation in structured form:
// the path, the kind of rule, and what is allowed; or with Helm's message. Values are never quoted in its own reports, since some of them are secret. It also
// creates one schema from those of a chart and its dependencies. The package does not know the values of any chart.
package valueschema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
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
	root *jsonschema.Schema
	at   map[string]*jsonschema.Schema // by location
}

// address is the name under which the schema is compiled; nothing is loaded from elsewhere.
const address = "values:///values.schema.json"

// Compile compiles a schema. A reference to another file is an error.
func Compile(text []byte) (*Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.ExtractAnnotations = true // descriptions say which values have no effect
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
	result := &Schema{root: root, at: map[string]*jsonschema.Schema{}}
	result.note(root)
	return result, nil
}

// Keys returns the keys with an effect that the schema declares for the map at a path of keys; none if it declares none.
func (s *Schema) Keys(path ...string) []string { return keysWithEffect(s.rule(path)) }

// keysWithEffect returns the keys of a map, except those whose values have no effect.
func keysWithEffect(rule *jsonschema.Schema) []string {
	if rule == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(rule.Properties)), func(key string) bool {
		_, gone := ReadDropped(resolve(rule.Properties[key]).Description)
		return gone
	})
}

// refuses reports whether a pattern rule of the map at a path applies to a key.
func (s *Schema) refuses(key string, path ...string) bool {
	at := s.rule(path)
	return at != nil && matches(at, key)
}

// rule returns the rule at a path of keys, nil if there is none.
func (s *Schema) rule(path []string) *jsonschema.Schema {
	at := resolve(s.root)
	for _, key := range path {
		if at == nil {
			return nil
		}
		at = resolve(at.Properties[key])
	}
	return at
}

// resolve follows the references of a rule.
func resolve(rule *jsonschema.Schema) *jsonschema.Schema {
	for rule != nil && rule.Ref != nil {
		rule = rule.Ref
	}
	return rule
}

// Fits reports whether values are valid.
func (s *Schema) Fits(values any) bool { return s.root.Validate(values) == nil }

// Violations returns all violations of the schema, sorted by path, each one once.
func (s *Schema) Violations(values any) ([]Violation, error) {
	err := s.root.Validate(values)
	var invalid *jsonschema.ValidationError
	if err == nil {
		return nil, nil
	}
	if !errors.As(err, &invalid) {
		return nil, fmt.Errorf("values.schema.json: %w", err)
	}
	var list []Violation
	s.flatten(invalid, values, &list)
	byKey := make(map[string]Violation, len(list))
	for _, violation := range slices.Backward(list) { // of equal ones the first
		byKey[key(violation)] = violation
	}
	unique := make([]Violation, 0, len(byKey))
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		unique = append(unique, byKey[key])
	}
	return unique, nil
}

func key(v Violation) string {
	return strings.Join(v.Path, "\x00") + "\x01" + fmt.Sprint(v.Kind, v.Want)
}

// flatten collects the leaves of an error. Of the alternatives of a oneOf or anyOf it reports only the one that is closest to valid.
func (s *Schema) flatten(cause *jsonschema.ValidationError, values any, list *[]Violation) {
	switch {
	case len(cause.Causes) == 0:
		*list = append(*list, s.violations(cause, values)...)
	case isChoice(cause):
		s.flatten(closest(cause), values, list)
	default:
		for _, inner := range cause.Causes {
			s.flatten(inner, values, list)
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
