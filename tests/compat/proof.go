package compat

import (
	"fmt"
	"maps"
	"sync"

	"gitops-runtime/schema"
)

// Prover shows of one value after the other that the chart honours it.
type Prover struct {
	Chart   *Chart
	Fixture Fixture

	// before holds what was rendered without a change, by part of the chart and values: many paths share them.
	before sync.Map
}

// Prove changes a value to another of its type and returns an error unless a rendered object changes.
// It looks at the templates that mention the value's first key before it looks at all.
func (p *Prover) Prove(value Value) error {
	around := p.Fixture.Around(value.Path)
	to, err := p.target(value, around)
	if err != nil {
		return err
	}
	changed := overlay(around, nested(value.Path, to))
	for _, word := range []string{value.Path[0], ""} {
		differs, err := p.differs(word, around, changed)
		if err != nil {
			return fmt.Errorf("%s=%v: %w", value.Path, to, err)
		}
		if differs {
			return nil
		}
	}
	return fmt.Errorf("%s=%v changes no object", value.Path, to)
}

// differs tells whether the templates that mention a word render differently for two sets of values.
func (p *Prover) differs(word string, around, changed map[string]any) (bool, error) {
	part := p.Chart.Mentioning(word)
	key := word + fmt.Sprint(around)
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
	return change(value.Type, current, nodeAt(p.Chart.schema, value.Path))
}

// Dropped tells whether a value is dropped, and by which entry.
func Dropped(entries []schema.Dropped, path schema.Path) (schema.Dropped, bool) {
	for _, entry := range entries {
		if path.Within(entry.Path) {
			return entry, true
		}
	}
	return schema.Dropped{}, false
}
