package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/schema/dropped"
)

// Prover shows of values which fields they change. A row that is known is tried together with others that change other fields, so that a
// hundred values need a few renders: all at once, and, for each bit of their numbers, those that have it, so that no value can stand in for
// another. Where the render does not change what the rows say, halves are tried, down to single values.
type Prover struct {
	Chart   *Chart
	Fixture Fixture
	// Reasons say of what changes nothing why, by path; of what is refused the first words are kept. Without them either is an error.
	Reasons map[string]string

	reader reader
	mutex  sync.Mutex
	parts  map[string]*Chart  // by their names
	before map[string]objects // by the part of the chart and the values around: many paths share them
	made   map[string]Row
	failed []error
}

// setting is a value with what it is changed to, and what is known of it.
type setting struct {
	key    string // of its row
	path   dropped.Path
	to     any
	around map[string]any
	part   string // of the chart, where it can change something
	known  Row
}

// Rows returns the rows of settings as they are, given those that are known, and what went wrong with others.
func (p *Prover) Rows(settings []setting) (map[string]Row, error) {
	p.parts, p.before, p.made = map[string]*Chart{}, map[string]objects{}, map[string]Row{}
	var running errgroup.Group
	running.SetLimit(2)
	for _, each := range groups(settings) {
		running.Go(func() error { return p.prove(each) })
	}
	if err := running.Wait(); err != nil {
		return nil, err
	}
	return p.made, errors.Join(p.failed...)
}

// group is settings that are tried together, with the places that they change.
type group struct {
	settings []setting
	places   map[string]bool // "object field" and, of what is added or taken away, "object"; of others "object *"
}

// groups divides settings into those that can be tried together, first fit.
func groups(settings []setting) [][]setting {
	byAround := map[string][]*group{}
	var all []*group
	for _, each := range settings {
		key := each.part + fmt.Sprint(each.around)
		places, alone := placesOf(each)
		var fits *group
		for _, candidate := range byAround[key] {
			if !alone && !candidate.conflicts(each, places) {
				fits = candidate
				break
			}
		}
		if fits == nil {
			fits = &group{places: map[string]bool{}}
			all = append(all, fits)
			if !alone {
				byAround[key] = append(byAround[key], fits)
			}
		}
		fits.settings = append(fits.settings, each)
		for place := range places {
			fits.places[place] = true
		}
	}
	made := make([][]setting, len(all))
	for i, each := range all {
		made[i] = each.settings
	}
	return made
}

// conflicts tells whether a setting cannot be told apart from those of the group in one render.
func (g *group) conflicts(with setting, places map[string]bool) bool {
	for place := range places {
		object, field, _ := strings.Cut(place, " ")
		if g.places[object] || field == "" && g.places[object+" *"] || field != "*" && g.places[place] {
			return true
		}
	}
	return slices.ContainsFunc(g.settings, func(other setting) bool { return with.path.Within(other.path) || other.path.Within(with.path) })
}

// placesOf are the places that a setting changes; alone where they are not known, or too many to be named.
func placesOf(of setting) (places map[string]bool, alone bool) {
	places = map[string]bool{}
	if isNothing(of.known) {
		return places, false
	}
	for _, line := range of.known.What {
		object, field := place(line)
		if object == "" {
			return nil, true
		}
		if field != "" {
			places[object+" *"] = true
			places[object+" "+field] = true
		} else {
			places[object] = true
		}
	}
	return places, len(places) == 0
}

// place is the object and the field of a line; no object where the line counts several.
func place(line string) (object, field string) {
	first, rest, _ := strings.Cut(line, " ")
	if first == "+" || first == "-" {
		object = rest
	} else {
		object = first
		field, _, _ = strings.Cut(rest, ": ")
	}
	if !strings.Contains(object, "/") {
		return "", ""
	}
	return object, field
}

func (p *Prover) prove(all []setting) error {
	if len(all) == 1 {
		what, err := p.single(all[0])
		if err != nil { // the others are proven all the same
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.failed = append(p.failed, err)
			return nil
		}
		return p.keep(all[0], what)
	}
	for _, part := range byBits(all) {
		var want []string
		for _, each := range part {
			if !isNothing(each.known) {
				want = append(want, each.known.What...)
			}
		}
		slices.Sort(want)
		got, err := p.differences(part)
		if err != nil || !slices.Equal(want, texts(got)) {
			if err := p.prove(all[:len(all)/2]); err != nil {
				return err
			}
			return p.prove(all[len(all)/2:])
		}
	}
	for _, each := range all {
		if err := p.keep(each, each.known.What); err != nil {
			return err
		}
	}
	return nil
}

func texts(all []difference) []string {
	made := make([]string, len(all))
	for i, each := range all {
		made[i] = each.String()
	}
	slices.Sort(made)
	return made
}

// byBits are all of the settings and, for each bit of their numbers, those that have it.
func byBits(all []setting) [][]setting {
	parts := [][]setting{all}
	for bit := 1; bit < len(all); bit *= 2 {
		var part []setting
		for i, each := range all {
			if i&bit != 0 {
				part = append(part, each)
			}
		}
		parts = append(parts, part)
	}
	return parts
}

func (p *Prover) keep(of setting, what []string) error {
	to, err := toText(of.to)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made[of.key] = Row{Key: of.key, To: to, What: what}
	return nil
}

// single are the lines of one setting.
func (p *Prover) single(of setting) ([]string, error) {
	found, err := p.differences([]setting{of})
	reason, known := p.Reasons[of.path.String()]
	switch {
	case err != nil && p.Reasons != nil:
		return []string{refused + firstWords(err)}, nil
	case err == nil && known && len(found) == 0:
		return []string{nothing + reason}, nil
	case err == nil && known:
		return nil, fmt.Errorf("%s changes something, although there is a reason why it would not", of.path)
	}
	return lines(found), err
}

// What a row says instead of changes.
const nothing, refused = "nothing: ", "refused: "

func isNothing(row Row) bool { return len(row.What) == 1 && strings.HasPrefix(row.What[0], nothing) }

// firstWords are the first line of an error that says what is wrong.
func firstWords(err error) string {
	text := err.Error()
	if _, sentence, ok := strings.Cut(text, "execution error at "); ok {
		if _, sentence, ok = strings.Cut(sentence, "): "); ok {
			text = sentence
		}
	}
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(all[len(all)-1])
}

// differences are what settings change together.
func (p *Prover) differences(of []setting) ([]difference, error) {
	around := of[0].around
	before, err := p.render(of[0].part, around)
	if err != nil {
		return nil, fmt.Errorf("%s: render without the change: %w", of[0].path, err)
	}
	changed := around
	for _, each := range of {
		changed = overlay(changed, nested(each.path, each.to))
	}
	rendered, err := p.only(of[0].part).Render(changed)
	if err != nil {
		return nil, fmt.Errorf("%s=%v: %w", of[0].path, of[0].to, err)
	}
	after, err := p.reader.read(rendered)
	if err != nil {
		return nil, fmt.Errorf("%s=%v: %w", of[0].path, of[0].to, err)
	}
	return differences(before, after), nil
}

// only is a part of the chart.
func (p *Prover) only(part string) *Chart {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.parts[part] == nil {
		p.parts[part] = p.Chart.only(part)
	}
	return p.parts[part]
}

// render returns the objects of a part of the chart with the values around, which many settings share.
func (p *Prover) render(part string, around map[string]any) (objects, error) {
	key, chart := part+fmt.Sprint(around), p.only(part)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if known := p.before[key]; known != nil {
		return known, nil
	}
	rendered, err := chart.Render(around)
	if err != nil {
		return nil, err
	}
	p.before[key], err = p.reader.read(rendered)
	return p.before[key], err
}

// settings are those of values that are not dropped, each with its row as far as it is known, and the keys of the rows of all values, in order.
func (p *Prover) settings(values []Value, gone []dropped.Value, known map[string]Row) (settings []setting, order []string, err error) {
	for _, value := range values {
		key, path, lost := rowKey(value.Path, gone)
		order = append(order, key)
		if lost {
			continue
		}
		value.Path = path
		made := setting{key: key, path: path, around: p.Fixture.Around(path), part: p.Chart.part(path), known: known[key]}
		if made.to, err = p.target(value, made.around); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", key, err)
		}
		to, err := toText(made.to)
		if err != nil {
			return nil, nil, err
		}
		if made.known.To != to {
			made.known = Row{}
		}
		settings = append(settings, made)
	}
	return settings, order, nil
}

// rowKey is the key of a path's row, and the path that it has here; lost where it is dropped.
func rowKey(path dropped.Path, gone []dropped.Value) (key string, here dropped.Path, lost bool) {
	entry, ok := Dropped(gone, path)
	switch {
	case !ok:
		return path.String(), path, false
	case entry.Renamed == nil:
		return fmt.Sprintf("%s (dropped: %s)", path, entry.Reason), path, true
	}
	here = entry.Now(path)
	return fmt.Sprintf("%s (renamed to %s)", path, here), here, false
}

// target is what a value is changed to.
func (p *Prover) target(value Value, around map[string]any) (any, error) {
	if to, ok := p.Fixture.To[value.Path.String()]; ok {
		return to, nil
	}
	current, err := p.Chart.Value(around, value.Path)
	if err != nil {
		return nil, err
	}
	if current == nil {
		current = value.Default
	}
	return change(value.Type, current, p.Chart.nodeAt(value.Path))
}
