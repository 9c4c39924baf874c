package compat

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/schema/dropped"
)

// mark is a value that nothing else in a render has, so that many paths can be set in one render and each still be seen by itself.
type mark struct {
	path dropped.Path
	set  any    // what the path is set to
	word string // what has to show
}

// few paths are quicker to change one after the other than to render the whole chart for.
const few = 4

// Marked returns the values that show in a render which sets many of them at once, each to a mark of its own. Of the others it says
// nothing: they are booleans and choices, which have no marks, or the chart refuses the mark, encodes it, or lets another value go first.
func (p *Prover) Marked(values []Value) (map[string]bool, error) {
	groups := map[string][]Value{}
	var order []string
	for _, value := range values {
		if _, chosen := p.Fixture.To[value.Path.String()]; chosen {
			continue
		}
		key := fmt.Sprint(p.Fixture.Around(value.Path))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], value)
	}
	seen := map[string]bool{}
	for _, key := range order {
		if err := p.markGroup(groups[key], seen); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// markGroup is Marked for values that need the same values around them.
func (p *Prover) markGroup(values []Value, seen map[string]bool) error {
	around := p.Fixture.Around(values[0].Path)
	before, err := p.Chart.Render(around)
	if err != nil {
		return fmt.Errorf("render without a change: %w", err)
	}
	marks := p.marks(values, words(before))
	for len(marks) > few {
		taken := p.acceptable(around, marks, p.Chart.Check)
		taken = p.acceptable(around, taken, func(values map[string]any) error { _, err := p.Chart.Render(values); return err })
		after, err := p.Chart.Render(marked(around, taken))
		if err != nil {
			return errors.New("values render apart and not together")
		}
		shown := words(after)
		left := slices.DeleteFunc(slices.Clone(marks), func(m mark) bool {
			if shown[m.word] && slices.ContainsFunc(taken, func(t mark) bool { return t.word == m.word }) {
				seen[m.path.String()] = true
				return true
			}
			return false
		})
		if len(marks)-len(left) <= few { // the next round would show no more
			return nil
		}
		marks = left
	}
	return nil
}

// marks are those of values that can have one, of paths that do not lie within each other.
func (p *Prover) marks(values []Value, known map[string]bool) []mark {
	var all []mark
	number := 20000
	for _, value := range values {
		if slices.ContainsFunc(all, func(m mark) bool { return value.Path.Within(m.path) || m.path.Within(value.Path) }) {
			continue
		}
		for number++; known[fmt.Sprint(number)]; number++ {
		}
		if made, ok := markOf(value, number, p.Chart.nodeAt(value.Path)); ok {
			all = append(all, made)
		}
	}
	return all
}

// markOf makes the mark of a value whose schema node is given.
func markOf(value Value, number int, node map[string]any) (mark, bool) {
	made := mark{path: value.Path, word: fmt.Sprintf("mark%dz", number)}
	kind := value.Type
	if kind == "null" {
		kind = writtenType(node)
	}
	if _, choice := node["enum"]; choice {
		return made, false
	}
	switch kind {
	case "integer", "number":
		made.word, made.set = fmt.Sprint(number), number
	case "string":
		if isQuantity(node) {
			made.word = fmt.Sprint(number)
		}
		made.set = made.word
	case "array", "object":
		set, err := sample(node, kind, made.word)
		if items, _ := node["items"].(map[string]any); err != nil || items["enum"] != nil {
			return made, false
		}
		made.set = set
	default:
		return made, false
	}
	return made, true
}

// acceptable returns the marks that can be set together, found by halves.
func (p *Prover) acceptable(around map[string]any, marks []mark, try func(map[string]any) error) []mark {
	var kept []mark
	var search func(part []mark)
	search = func(part []mark) {
		if len(part) == 0 {
			return
		}
		if try(marked(around, append(slices.Clone(kept), part...))) == nil {
			kept = append(kept, part...)
			return
		}
		if len(part) > 1 {
			search(part[:len(part)/2])
			search(part[len(part)/2:])
		}
	}
	search(marks)
	return kept
}

// marked returns values with the marks set.
func marked(around map[string]any, marks []mark) map[string]any {
	for _, each := range marks {
		around = overlay(around, nested(each.path, each.set))
	}
	return around
}

// word is a number or a mark that stands by itself; what + and / and = join may be base64.
var word = regexp.MustCompile(`mark\d+z|(?:^|[^\w+/])(2\d{4})(?:[^\w+/=]|$)`)

// words are the marks and the numbers that may serve as such in rendered templates.
func words(rendered map[string]string) map[string]bool {
	all := map[string]bool{}
	for _, text := range rendered {
		for line := range strings.SplitSeq(text, "\n") {
			for _, found := range word.FindAllStringSubmatch(line, -1) {
				if found[1] != "" {
					all[found[1]] = true
				} else {
					all[found[0]] = true
				}
			}
		}
	}
	return all
}
