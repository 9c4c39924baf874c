package compat

import (
	"fmt"
	"maps"
	"sync"

	"gitops-runtime/schema/dropped"
)

// Prover shows of one value after the other that the chart honours it.
type Prover struct {
	Chart   *Chart
	Fixture Fixture

	// before holds what was rendered without a change, by part of the chart and values: many paths share them.
	before sync.Map
}

// Prove changes a value to another of its type and returns an error unless a rendered object changes.
// It looks at the part of the chart around the value before it looks at all.
func (p *Prover) Prove(value Value) error {
	around := p.Fixture.Around(value.Path)
	to, err := p.target(value, around)
	if err != nil {
		return err
	}
	changed := overlay(around, nested(value.Path, to))
	parts := map[string]*Chart{partKey(value.Path): p.Chart.Around(value.Path), "": p.Chart}
	for _, key := range []string{partKey(value.Path), ""} {
		differs, err := p.differs(parts[key], key, around, changed)
		if err != nil {
			return fmt.Errorf("%s=%v: %w", value.Path, to, err)
		}
		if differs {
			return nil
		}
	}
	return fmt.Errorf("%s=%v changes no object", value.Path, to)
}

// partKey names what Chart.Around looks at.
func partKey(path dropped.Path) string {
	return fmt.Sprintf("%s %s %s", path[0], path[min(1, len(path)-1)], path[len(path)-1])
}

// differs tells whether a part of the chart, known by its name, renders differently for two sets of values.
func (p *Prover) differs(part *Chart, name string, around, changed map[string]any) (bool, error) {
	key := name + fmt.Sprint(around)
	before, ok := p.before.Load(key)
	if !ok {
		rendered, err := part.Render(around)
		if err != nil {
			return false, fmt.Errorf("render without the change: %w", err)
		}
		p.before.Store(key, rendered)
		before = rendered
	}
	after, err := part.Render(changed)
	if err != nil {
		return false, fmt.Errorf("render with the change: %w", err)
	}
	return !maps.Equal(before.(map[string]string), after), nil
}

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

// AllDropped returns what a chart drops or renames: its own values and those of the charts it depends on, under their keys.
func AllDropped(chart *Chart) ([]dropped.Value, error) {
	all, err := dropped.Of(chart.chart.Name())
	if err != nil {
		return nil, err
	}
	for _, dependency := range chart.chart.Dependencies() {
		below, err := dropped.Below(dependency.Name(), dependency.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// Dropped tells whether a value is dropped, and by which entry.
func Dropped(entries []dropped.Value, path dropped.Path) (dropped.Value, bool) {
	for _, entry := range entries {
		if path.Within(entry.Path) {
			return entry, true
		}
	}
	return dropped.Value{}, false
}
