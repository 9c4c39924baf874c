package compat

import (
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/schema/dropped"
)

// Texts are the paths of a chart's own values that may be any text, or are one by default.
func (c *Chart) Texts() []dropped.Path {
	var all []dropped.Path
	var walk func(values map[string]any, path dropped.Path)
	walk = func(values map[string]any, path dropped.Path) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			at := append(slices.Clone(path), key)
			if len(path) == 0 && c.dependency(key) {
				continue
			}
			switch below := values[key].(type) {
			case map[string]any:
				walk(below, at)
			case string:
				all = append(all, at)
			case nil:
				if slices.Contains(types(c.nodeAt(at)), "string") {
					all = append(all, at)
				}
			}
		}
	}
	walk(c.chart.Values, nil)
	return all
}

// Outcome is what became of texts that values were set to.
type Outcome struct {
	Verbatim, Refused []string         // paths
	Lost              []string         // paths whose text is nowhere in the objects as it is
	Unclear           map[string]error // errors that name neither the value nor the component
}

// clear is an error that says which value or component it is about: of the schema, of the facts of a component, or a sentence of a template.
var clear = regexp.MustCompile(`don't meet the specifications|jsonschema validation failed|chart "?[a-z-]+.*component|\n *fix: |execution error at`)

// Verbatim sets the texts at paths, as many as possible at once, and looks for each in the objects that come out.
func (p *Prover) Verbatim(paths []dropped.Path, text func(number int) string) (Outcome, error) {
	outcome := Outcome{Unclear: map[string]error{}}
	groups, order := map[string][]mark{}, []string{}
	for i, path := range paths {
		key := fmt.Sprint(p.Fixture.Around(path))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], mark{path: path, text: text(i)})
	}
	for _, key := range order {
		marks := groups[key]
		around := p.Fixture.Around(marks[0].path)
		taken := p.taken(around, marks, func(m mark, err error) {
			if clear.MatchString(err.Error()) {
				outcome.Refused = append(outcome.Refused, m.path.String())
			} else {
				outcome.Unclear[m.path.String()] = err
			}
		})
		found, err := p.scalars(around, taken)
		if err != nil {
			return outcome, err
		}
		for _, m := range taken {
			shown := shows(found, m)
			if !shown { // another may go first
				alone, err := p.scalars(around, []mark{m})
				if err != nil {
					return outcome, err
				}
				shown = shows(alone, m)
			}
			if shown {
				outcome.Verbatim = append(outcome.Verbatim, m.path.String())
			} else {
				outcome.Lost = append(outcome.Lost, m.path.String())
			}
		}
	}
	return outcome, nil
}

func shows(scalars []string, m mark) bool {
	return slices.ContainsFunc(scalars, func(scalar string) bool { return strings.Contains(scalar, m.text) })
}

// mark is a text that nothing else in a render has.
type mark struct {
	path dropped.Path
	text string
}

// taken are the marks that can be set together; each of the others is told with the error it gives by itself.
func (p *Prover) taken(around map[string]any, marks []mark, tell func(mark, error)) []mark {
	var kept []mark
	var search func(part []mark)
	search = func(part []mark) {
		_, err := p.scalars(around, append(slices.Clone(kept), part...))
		if err == nil {
			kept = append(kept, part...)
			return
		}
		if len(part) == 1 {
			if _, alone := p.scalars(around, part); alone != nil {
				tell(part[0], alone)
			} else {
				tell(part[0], err)
			}
			return
		}
		search(part[:len(part)/2])
		search(part[len(part)/2:])
	}
	var open []mark
	for _, m := range marks { // what the schema refuses needs no render
		if err := p.Chart.Check(overlay(around, nested(m.path, m.text))); err != nil {
			tell(m, err)
		} else {
			open = append(open, m)
		}
	}
	if len(open) > 0 {
		search(open)
	}
	return kept
}

// scalars are all texts of the objects that marks make, those in texts that are YAML or base64 included.
func (p *Prover) scalars(around map[string]any, marks []mark) ([]string, error) {
	values := around
	for _, m := range marks {
		values = overlay(values, nested(m.path, m.text))
	}
	rendered, err := p.Chart.Render(values)
	if err != nil {
		return nil, err
	}
	var all []string
	var walk func(value any)
	walk = func(value any) {
		switch at := value.(type) {
		case map[string]any:
			for key, below := range at {
				all = append(all, key)
				walk(below)
			}
		case []any:
			for _, below := range at {
				walk(below)
			}
		case string:
			all = append(all, at)
			if plain, err := base64.StdEncoding.DecodeString(at); err == nil && len(at) > 12 {
				walk(string(plain))
			}
			var below any
			if strings.Contains(at, ":") && yaml.Unmarshal([]byte(at), &below) == nil {
				if _, isText := below.(string); !isText {
					walk(below)
				}
			}
		}
	}
	for name, text := range rendered {
		for document := range strings.SplitSeq("\n"+text, "\n---\n") {
			var object any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return nil, fmt.Errorf("%s is no YAML: %w", name, err)
			}
			walk(object)
		}
	}
	return all, nil
}
