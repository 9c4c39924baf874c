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

// Prover finds the fields that values change. Values whose known rows change different fields are verified together: all in one render and, for each
// bit of their indexes, those with the bit set in another, so that no value can hide another. If a render does not match the known rows,
// the group is halved, down to single values.
type Prover struct {
	Chart   *Chart
	Fixture Fixture
	// Reasons are, by path, why a value changes nothing. With Reasons, rejected values get a row with the error; without them, a rejection is an error.
	Reasons map[string]string

	reader reader
	mutex  sync.Mutex
	parts  map[string]*Chart  // by name
	before map[string]objects // by part of the chart and surrounding values
	rows   map[string]Row
	failed []error
}

// setting is a value, its new value and its known row.
type setting struct {
	key    string // of the row
	path   dropped.Path
	to     any
	around map[string]any
	part   string // of the chart that it can change
	known  Row
}

// Rows returns the current rows of settings and the joined errors of settings that failed.
func (p *Prover) Rows(settings []setting) (map[string]Row, error) {
	p.parts, p.before, p.rows = map[string]*Chart{}, map[string]objects{}, map[string]Row{}
	var running errgroup.Group
	running.SetLimit(2)
	for _, each := range groups(settings) {
		running.Go(func() error { return p.prove(each) })
	}
	if err := running.Wait(); err != nil {
		return nil, err
	}
	return p.rows, errors.Join(p.failed...)
}

// group is a set of settings that are verified together, with the places that they change.
type group struct {
	settings []setting
	places   map[string]bool // "object field" and "object *" for a changed field, "object" for an added or removed object
}

// groups divides settings into groups that can be verified together, first fit.
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
	result := make([][]setting, len(all))
	for i, each := range all {
		result[i] = each.settings
	}
	return result
}

// conflicts reports whether the changes of a setting overlap those of the group in one render.
func (g *group) conflicts(with setting, places map[string]bool) bool {
	for place := range places {
		object, field, _ := strings.Cut(place, " ")
		if g.places[object] || field == "" && g.places[object+" *"] || field != "*" && g.places[place] {
			return true
		}
	}
	return slices.ContainsFunc(g.settings, func(other setting) bool { return with.path.Within(other.path) || other.path.Within(with.path) })
}

// placesOf returns the places that a setting changes; alone is true if they are unknown or too many to be named.
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

// place returns the object and the field of a line; object is empty if the line counts several objects.
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
		if err != nil { // continue with the other settings
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
	result := make([]string, len(all))
	for i, each := range all {
		result[i] = each.String()
	}
	slices.Sort(result)
	return result
}

// byBits returns all settings and, for each bit of their indexes, the settings with the bit set.
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
	p.rows[of.key] = Row{Key: of.key, To: to, What: what}
	return nil
}

// single returns the lines of one setting.
func (p *Prover) single(of setting) ([]string, error) {
	found, err := p.differences([]setting{of})
	reason, known := p.Reasons[of.path.String()]
	switch {
	case err != nil && p.Reasons != nil:
		return []string{refused + firstWords(err)}, nil
	case err == nil && known && len(found) == 0:
		return []string{nothing + reason}, nil
	case err == nil && known:
		return nil, fmt.Errorf("%s has an effect: remove the reason why it has none", of.path)
	}
	return lines(found), err
}

// nothing and refused are the prefixes of a row without changes.
const nothing, refused = "nothing: ", "refused: "

func isNothing(row Row) bool { return len(row.What) == 1 && strings.HasPrefix(row.What[0], nothing) }

// firstWords returns the last line of an error; for the error of a template, of the message after its position.
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

// differences returns the changes of settings that are applied together.
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

// only returns a part of the chart from the cache.
func (p *Prover) only(part string) *Chart {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.parts[part] == nil {
		p.parts[part] = p.Chart.only(part)
	}
	return p.parts[part]
}

// render returns the objects of a part of the chart with the surrounding values, from the cache.
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

// settings returns the settings of values that are not dropped, with their known rows, and the row keys of all values in order.
func (p *Prover) settings(values []Value, droppedValues []dropped.Value, known map[string]Row) (settings []setting, order []string, err error) {
	for _, value := range values {
		key, path, lost := rowKey(value.Path, droppedValues)
		order = append(order, key)
		if lost {
			continue
		}
		value.Path = path
		result := setting{key: key, path: path, around: p.Fixture.Around(path), part: p.Chart.part(path), known: known[key]}
		if result.to, err = p.target(value, result.around); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", key, err)
		}
		to, err := toText(result.to)
		if err != nil {
			return nil, nil, err
		}
		if result.known.To != to {
			result.known = Row{}
		}
		settings = append(settings, result)
	}
	return settings, order, nil
}

// rowKey returns the row key of a path, and its path in this chart; lost is true if it is dropped.
func rowKey(path dropped.Path, droppedValues []dropped.Value) (key string, here dropped.Path, lost bool) {
	entry, ok := Dropped(droppedValues, path)
	switch {
	case !ok:
		return path.String(), path, false
	case entry.Renamed == nil:
		return fmt.Sprintf("%s (dropped: %s)", path, entry.Reason), path, true
	}
	here = entry.Now(path)
	return fmt.Sprintf("%s (renamed to %s)", path, here), here, false
}

// target returns the new value for a value.
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
