package solve

import (
	"maps"
	"slices"
	"sort"

	"gitops-runtime/internal/helmvalues"
)

// collect converts the assignment of variables to new texts of leaves.
func (p *problem) collect(assigned assignment, unmet []int) {
	names := map[string]string{}
	for key, value := range assigned {
		if value.changed {
			names[key] = value.text
		}
	}
	failed := map[int]bool{}
	for _, i := range unmet {
		failed[i] = true
	}
	pins := map[string]string{}
	for i, c := range p.constraints {
		if failed[i] {
			continue
		}
		p.pin(c, names, pins)
	}
	p.solution.Names = p.leaves(names)
	p.solution.Pins = p.leaves(pins)
	for key := range names {
		if other := p.variables[key].other; len(other) > 0 {
			p.solution.Uses[p.variables[key].Path.String()] = slices.Compact(slices.Sorted(slices.Values(other)))
		}
	}
}

// pin records the variables that produce tags and digests with their current text. For a private image it also records the names that the user set,
// so that a file from an earlier run that is passed again is reproduced.
func (p *problem) pin(c placed, names, pins map[string]string) {
	scenario := p.scenarios[c.scenario]
	for _, a := range c.readings[0] {
		if a.variable == "" {
			continue
		}
		if _, changed := names[a.variable]; changed {
			continue
		}
		v := p.variables[a.variable]
		if v.Whole && v.Text != a.text {
			continue // a template, or a number that is rendered in another format
		}
		for _, i := range c.locations {
			location := scenario.Locations[i]
			suffix := location.End - len(location.Image.Suffix())
			switch {
			case v.Whole && a.at >= suffix && a.at < location.End:
				pins[a.variable] = a.text
			case c.private && v.user && a.at < suffix:
				names[a.variable] = a.text
			}
		}
	}
}

// leaves combines new texts of parts to new texts of whole leaves, sorted by path.
func (p *problem) leaves(texts map[string]string) []Override {
	byLeaf := map[string][]string{}
	for key := range texts {
		path := p.variables[key].Path.String()
		byLeaf[path] = append(byLeaf[path], key)
	}
	paths := slices.Sorted(maps.Keys(byLeaf))
	var all []Override
	for _, path := range paths {
		keys := byLeaf[path]
		sort.Slice(keys, func(a, b int) bool { return p.variables[keys[a]].Start > p.variables[keys[b]].Start })
		v := p.variables[keys[0]]
		text := v.leaf
		for _, key := range keys {
			part := p.variables[key]
			if part.Whole {
				text = texts[key]
				break
			}
			text = text[:part.Start] + texts[key] + text[part.End:]
		}
		all = append(all, Override{Path: v.Path, Text: text})
	}
	return all
}

// Tree returns overrides as values for Helm. Lists are copied as a whole from
// the coalesced values.
func Tree(overrides []Override, coalesced map[string]any) (map[string]any, error) {
	tree := map[string]any{}
	for _, override := range overrides {
		var value any = override.Text
		if override.Switch != nil {
			value = *override.Switch
		}
		if err := helmvalues.Set(tree, coalesced, override.Path, value); err != nil {
			return nil, err
		}
	}
	return tree, nil
}
