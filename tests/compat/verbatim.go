package compat

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/schema/dropped"
)

// mark is a unique string with all special characters of YAML and templates.
type mark struct {
	place  Text
	number int
}

const rest = "t: \"b\" %s #d\n- e"

// numbered matches a mark, unchanged or evaluated, or the rest of one.
var numbered = regexp.MustCompile(`t\d+t(: "b" (\{\{ "c" \}\}|c) #d\n- e)?`)

func (m mark) text() string      { return fmt.Sprintf("t%d"+rest, m.number, `{{ "c" }}`) }
func (m mark) evaluated() string { return fmt.Sprintf("t%d"+rest, m.number, "c") }

// marked matches the beginning of a mark, with its number.
var marked = regexp.MustCompile(`t(\d+)t`)

// specific matches errors that name a value or a component: from the schema, the facts of a component, or a template's fail.
var specific = regexp.MustCompile(`don't meet the specifications|jsonschema validation failed|chart "?[a-z-]+.*component|\n *fix: |execution error at`)

// Verbatim sets each place to a mark, as many as possible in one render. The rows list the fields that contain the mark unchanged or evaluated as a
// template, or the error of a rejected mark. Known rejections are verified first.
func (p *Prover) Verbatim(places []Text, known map[string]Row) ([]Row, error) {
	rows := make([]Row, len(places))
	var failed []error
	refuse := func(m mark, err error) {
		rows[m.number] = Row{Key: m.place.String(), What: []string{refused + unnumbered(firstWords(err))}}
		if !specific.MatchString(err.Error()) {
			failed = append(failed, fmt.Errorf("%s: the error names neither the value nor the component: %w", m.place, err))
		}
	}
	groups, order := map[string][]mark{}, []string{}
	for i, place := range places {
		m := mark{place: place, number: i}
		if what := known[place.String()].What; len(what) == 1 && strings.HasPrefix(what[0], refused) {
			if err := p.alone(m); err != nil {
				refuse(m, err)
				continue
			}
		}
		key := p.Chart.part(place.Path) + fmt.Sprint(p.Fixture.Around(place.Path))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], m)
	}
	for _, key := range order {
		taken, found := p.accepted(groups[key], refuse)
		for again := true; again; { // a mark may hide others
			var hidden []mark
			for _, m := range taken {
				rows[m.number] = Row{Key: m.place.String(), What: found.lines(m)}
				if len(rows[m.number].What) == 0 {
					hidden = append(hidden, m)
				}
			}
			if again = len(hidden) > 0 && len(hidden) < len(taken); again {
				taken, found = p.accepted(hidden, refuse)
			}
		}
	}
	return rows, errors.Join(failed...)
}

// alone returns the error of a mark that is set by itself. It renders the templates that mention the value first, which is faster.
func (p *Prover) alone(m mark) error {
	values := overlay(p.Fixture.Around(m.place.Path), nested(m.place.Path, m.place.with(m.text())))
	if err := p.Chart.Check(values); err != nil {
		return err
	}
	if _, err := p.Chart.Around(m.place.Path).Render(values); err != nil {
		return err
	}
	_, err := p.Chart.Render(values)
	return err
}

// accepted returns the marks that can be set together, and their places; it reports each of the others with its error.
func (p *Prover) accepted(marks []mark, report func(mark, error)) (kept []mark, found places) {
	chart, around := p.Chart.only(p.Chart.part(marks[0].place.Path)), p.Fixture.Around(marks[0].place.Path)
	var search func(part []mark)
	search = func(part []mark) {
		all, err := p.places(chart, around, append(slices.Clone(kept), part...))
		switch {
		case err == nil:
			kept, found = append(kept, part...), all
		case len(part) > 1:
			search(part[:len(part)/2])
			search(part[len(part)/2:])
		default:
			if alone := p.alone(part[0]); alone != nil {
				err = alone
			}
			report(part[0], err)
		}
	}
	search(marks)
	return kept, found
}

// places are the fields that contain marks, by mark number.
type places map[int][]found

type found struct{ object, path, text string }

// lines returns the places of a mark, except in the Secret that validate-values reads, which contains all values.
func (p places) lines(m mark) []string {
	var all []difference
	for _, at := range p[m.number] {
		if strings.HasPrefix(at.object+" ", readByChecks) {
			continue
		}
		line := difference{object: at.object, path: at.path, what: "as it is"}
		switch {
		case strings.Contains(at.text, m.text()):
		case strings.Contains(at.text, m.evaluated()):
			line.what = "as a template"
		default:
			line.what = "changed: " + strconv.Quote(unnumbered(at.text))
		}
		all = append(all, line)
	}
	return lines(all)
}

func unnumbered(text string) string {
	return strings.ReplaceAll(numbered.ReplaceAllString(text, "text"), "\n", " ")
}

// places returns the fields of the rendered objects that contain marks, including fields of embedded YAML or base64.
func (p *Prover) places(chart *Chart, around map[string]any, marks []mark) (places, error) {
	values := around
	for _, m := range marks {
		values = overlay(values, nested(m.place.Path, m.place.with(m.text())))
	}
	rendered, err := chart.Render(values)
	if err != nil {
		return nil, err
	}
	all := places{}
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		for document := range strings.SplitSeq("\n"+rendered[name], "\n---\n") {
			if !marked.MatchString(document) && !strings.Contains(document, "kind: Secret") {
				continue
			}
			var object map[string]any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return nil, fmt.Errorf("%s is not valid YAML: %w", name, err)
			}
			metadata, _ := object["metadata"].(map[string]any)
			all.walk(unnumbered(fmt.Sprintf("%v/%v", object["kind"], metadata["name"])), "", object)
		}
	}
	return all, nil
}

func (p places) walk(object, path string, value any) {
	switch at := value.(type) {
	case map[string]any:
		for key, below := range at {
			p.add(object, path+" key", key)
			p.walk(object, strings.TrimPrefix(member(path, unnumbered(key)), "."), below)
		}
	case []any:
		names := namesOf(at)
		for i, below := range at {
			item := path + "[]"
			if names != nil {
				item = fmt.Sprintf("%s[%s]", path, unnumbered(names[i]))
			}
			p.walk(object, item, below)
		}
	case string:
		if plain, err := base64.StdEncoding.DecodeString(at); err == nil && len(at) > 12 {
			at = string(plain)
		}
		if !marked.MatchString(at) {
			return
		}
		var below any
		if yaml.Unmarshal([]byte(at), &below) == nil {
			if _, isText := below.(string); !isText {
				p.walk(object, path, below)
				return
			}
		}
		p.add(object, path, at)
	}
}

// add records the marks of a text.
func (p places) add(object, path, text string) {
	for _, parts := range marked.FindAllStringSubmatch(text, -1) {
		if number, err := strconv.Atoi(parts[1]); err == nil {
			p[number] = append(p[number], found{object, path, text})
		}
	}
}

// Text is a place in a chart's values that accepts any string: a value, an item of a list, or an entry of a map.
type Text struct {
	Path dropped.Path
	kind string // of the value: array or object; empty for a string
}

// with returns the value of the place for a string.
func (t Text) with(text string) any {
	switch t.kind {
	case "array":
		return []any{text}
	case "object":
		return map[string]any{"awkward": text}
	}
	return text
}

// String returns the place as it appears in tables.
func (t Text) String() string {
	return t.Path.String() + map[string]string{"array": "[]", "object": ".awkward"}[t.kind]
}

// Texts returns the places in a chart's values, without those of its dependencies, that accept any string.
func (c *Chart) Texts() []Text {
	var all []Text
	var walk func(values map[string]any, path dropped.Path)
	walk = func(values map[string]any, path dropped.Path) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			at := append(slices.Clone(path), key)
			if len(path) == 0 && (c.dependency(key) || key == "extraObjects") { // extraObjects are templates
				continue
			}
			node := c.nodeAt(at)
			below, isMap := values[key].(map[string]any)
			_, isList := values[key].([]any)
			_, isText := values[key].(string)
			nothing := values[key] == nil
			switch {
			case isText, nothing && mayBeText(node):
				all = append(all, Text{Path: at})
			case isMap && len(below) == 0 && entries(node), nothing && slices.Contains(types(node), "object") && entries(node):
				all = append(all, Text{Path: at, kind: "object"})
			case isList && items(node), nothing && items(node):
				all = append(all, Text{Path: at, kind: "array"})
			}
			walk(below, at)
		}
	}
	walk(c.chart.Values, nil)
	return all
}

func mayBeText(node map[string]any) bool { return slices.Contains(types(node), "string") }

// entries reports whether a map accepts a string under any key.
func entries(node map[string]any) bool {
	each, declared := node["additionalProperties"].(map[string]any)
	return node["properties"] == nil && (!declared || mayBeText(each))
}

// items reports whether a list accepts a string as an item.
func items(node map[string]any) bool {
	each, _ := node["items"].(map[string]any)
	return mayBeText(each)
}
