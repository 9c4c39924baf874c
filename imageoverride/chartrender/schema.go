package chartrender

import (
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
)

// schemas validates values against the schemas of charts with the library that Helm uses. Each schema is compiled once; nothing is fetched.
type schemas struct {
	compiled *valueschema.Cache
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
			into.lines = append(into.lines, fmt.Sprintf("%s:\n%s", c.Name(), strings.TrimSuffix(err.Error(), "\n")))
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
	if _, err := s.compiled.Compile(c.Schema); err != nil {
		return err
	}
	return helmrender.ValidateOne(s.compiled, c.Schema, tree)
}
