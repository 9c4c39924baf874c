package chartrender

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/helmschema"
	"gitops-runtime/internal/helmvalues"
)

// schemas validates values against the schemas of charts with the library that Helm uses. Each schema is compiled once; nothing is fetched.
type schemas struct {
	compiled *helmschema.Cache
	// known contains the results by a hash of schema and values.
	known map[uint64]error
}

// refusal is the error of values that schemas reject: the validation errors by chart.
type refusal struct{ lines []string }

func (r *refusal) Error() string {
	return "the schema refuses them\n" + strings.Join(r.lines, "\n")
}

// check validates values against the schemas of a chart and of its subcharts.
func (s *schemas) check(c *chart.Chart, tree map[string]any) error {
	var refused refusal
	s.gather(c, tree, &refused)
	if len(refused.lines) == 0 {
		return nil
	}
	return &refused
}

func (s *schemas) gather(c *chart.Chart, tree map[string]any, into *refusal) {
	if c.Schema != nil {
		if err := s.validate(c, tree); err != nil {
			into.lines = append(into.lines, fmt.Sprintf("%s:\n%s", c.Name(), indented(err)))
		}
	}
	for _, child := range c.Dependencies() {
		below, _ := helmvalues.Get(tree, helmvalues.Path{{Key: child.Name()}})
		values, ok := helmvalues.AsMap(below)
		if !ok && below != nil {
			into.lines = append(into.lines, fmt.Sprintf("%s:\n- at '': the values are not a map", child.Name()))
			continue
		}
		s.gather(child, values, into)
	}
}

func (s *schemas) validate(c *chart.Chart, tree map[string]any) error {
	sum := mix(maphash.Bytes(seed, c.Schema), content(tree))
	if known, ok := s.known[sum]; ok {
		return known
	}
	schema, err := s.compiled.Compile(c.Schema)
	if err != nil {
		return err
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	if bytes.Equal(text, []byte("null")) {
		text = []byte("{}")
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	s.known[sum] = schema.Validate(instance)
	return s.known[sum]
}

// indented returns the validator's message without its heading.
func indented(err error) string {
	_, rest, found := strings.Cut(err.Error(), "\n")
	if !found {
		return err.Error()
	}
	return rest
}
