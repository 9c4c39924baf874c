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

// mark is a text with everything that means something in YAML and in templates, which nothing else in a render has.
type mark struct {
	place  Text
	number int
}

const rest = "t: \"b\" %s #d\n- e"

// numbered is a mark as it is or evaluated, or what of it is left.
var numbered = regexp.MustCompile(`t\d+t(: "b" (\{\{ "c" \}\}|c) #d\n- e)?`)

func (m mark) text() string      { return fmt.Sprintf("t%d"+rest, m.number, `{{ "c" }}`) }
func (m mark) evaluated() string { return fmt.Sprintf("t%d"+rest, m.number, "c") }

// marked is the beginning of a mark, with its number.
var marked = regexp.MustCompile(`t(\d+)t`)

// clear is an error that says which value or component it is about: of the schema, of the facts of a component, or a sentence of a template.
var clear = regexp.MustCompile(`don't meet the specifications|jsonschema validation failed|chart "?[a-z-]+.*component|\n *fix: |execution error at`)

// Verbatim sets each place to a text with everything that means something in YAML and in templates, as many as possible at once, and tells
// which fields of which objects hold it as it is, or as a template that was evaluated; or that it is refused. What is known is tried first.
func (p *Prover) Verbatim(places []Text, known map[string]Row) ([]Row, error) {
	rows := make([]Row, len(places))
	var failed []error
	refuse := func(m mark, err error) {
		rows[m.number] = Row{Key: m.place.String(), What: []string{refused + unnumbered(firstWords(err))}}
		if !clear.MatchString(err.Error()) {
			failed = append(failed, fmt.Errorf("%s: the refusal names neither the value nor the component: %w", m.place, err))
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
		taken, found := p.taken(groups[key], refuse)
		for again := true; again; { // another may go first
			var hidden []mark
			for _, m := range taken {
				rows[m.number] = Row{Key: m.place.String(), What: found.lines(m)}
				if len(rows[m.number].What) == 0 {
					hidden = append(hidden, m)
				}
			}
			if again = len(hidden) > 0 && len(hidden) < len(taken); again {
				taken, found = p.taken(hidden, refuse)
			}
		}
	}
	return rows, errors.Join(failed...)
}

// alone is the error that a mark gives by itself; of the templates that mention it first, which is faster.
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

// taken are the marks that can be set together, and where they are then; each of the others is told with its error.
func (p *Prover) taken(marks []mark, tell func(mark, error)) (kept []mark, found places) {
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
			tell(part[0], err)
		}
	}
	search(marks)
	return kept, found
}

// places are where marks are, by their numbers: as they are, evaluated, or changed.
type places map[int][]found

type found struct{ object, path, text string }

// lines say where a mark is. What validate-values reads holds all values, and proves nothing.
func (p places) lines(m mark) []string {
	var all []difference
	for _, at := range p[m.number] {
		if strings.HasPrefix(at.object+" ", readByChecks) {
			continue
		}
		made := difference{object: at.object, path: at.path, what: "as it is"}
		switch {
		case strings.Contains(at.text, m.text()):
		case strings.Contains(at.text, m.evaluated()):
			made.what = "as a template"
		default:
			made.what = "changed: " + strconv.Quote(unnumbered(at.text))
		}
		all = append(all, made)
	}
	return lines(all)
}

func unnumbered(text string) string {
	return strings.ReplaceAll(numbered.ReplaceAllString(text, "text"), "\n", " ")
}

// places are where marks are in the objects that they make, those in texts that are YAML or base64 included.
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
				return nil, fmt.Errorf("%s is no YAML: %w", name, err)
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

// add notes the marks of a text.
func (p places) add(object, path, text string) {
	for _, parts := range marked.FindAllStringSubmatch(text, -1) {
		if number, err := strconv.Atoi(parts[1]); err == nil {
			p[number] = append(p[number], found{object, path, text})
		}
	}
}

// Text is a place in a chart's values that may hold any text: a value, an item of a list, or an entry of a map.
type Text struct {
	Path dropped.Path
	kind string // of the value there: array or object; a text where it is empty
}

// with is the value at the place that holds a text.
func (t Text) with(text string) any {
	switch t.kind {
	case "array":
		return []any{text}
	case "object":
		return map[string]any{"awkward": text}
	}
	return text
}

// String is the place as tables name it.
func (t Text) String() string {
	return t.Path.String() + map[string]string{"array": "[]", "object": ".awkward"}[t.kind]
}

// Texts are the places of a chart's own values, without those of the charts it depends on, that may hold any text.
func (c *Chart) Texts() []Text {
	var all []Text
	var walk func(values map[string]any, path dropped.Path)
	walk = func(values map[string]any, path dropped.Path) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			at := append(slices.Clone(path), key)
			if len(path) == 0 && (c.dependency(key) || key == "extraObjects") { // which are templates of the user's own
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

// entries tells whether a map may have a text under any key.
func entries(node map[string]any) bool {
	each, said := node["additionalProperties"].(map[string]any)
	return node["properties"] == nil && (!said || mayBeText(each))
}

// items tells whether a list may have a text as an item.
func items(node map[string]any) bool {
	each, _ := node["items"].(map[string]any)
	return mayBeText(each)
}
