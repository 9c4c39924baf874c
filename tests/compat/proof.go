package compat

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/facts"
)

// probe sets a value, to find out which facts change.
type probe struct {
	key   string // of the value in messages
	path  dropped.Path
	value any
	// texts are what of the value has to appear in a changed fact; none if any change proves an effect.
	texts []string
	// unique is true if the texts appear nowhere else, so that many probes can be rendered together.
	unique bool
}

// result is what a probe found out.
type result struct {
	refused error          // refused is the error of values that the chart does not render.
	changed []facts.Change // changed are the facts that differ; nil if many probes were rendered together.
	arrived bool           // arrived means that a fact contains one of the texts.
}

// Prover probes the values of a chart.
type Prover struct {
	Chart   *Chart
	Fixture Fixture
	bases   map[string]facts.Facts
}

// specific matches errors that name a value or a component: from the schema, the facts of a component, or a template's fail.
var specific = regexp.MustCompile(`don't meet the specifications|jsonschema validation failed|chart "?[a-z-]+.*component|\n *fix: |execution error at`)

// Probe returns the result of each probe. Those with unique texts are rendered together first, as many as possible.
func (p *Prover) Probe(probes []probe) (map[string]result, error) {
	found := map[string]result{}
	for _, group := range p.groups(probes) {
		p.together(group, found)
	}
	for _, each := range probes {
		if !found[each.key].arrived {
			alone, err := p.alone(each)
			if err != nil {
				return nil, err
			}
			found[each.key] = alone
		}
	}
	return found, nil
}

// groups returns groups of probes that can be rendered together: with the same surrounding values, and none within another.
func (p *Prover) groups(probes []probe) [][]probe {
	var all [][]probe
	at := map[string][]int{}
	for _, each := range probes {
		if !each.unique {
			continue
		}
		key := p.Chart.part(each.path) + fmt.Sprint(p.Fixture.Around(each.path))
		fits := slices.IndexFunc(at[key], func(i int) bool {
			return !slices.ContainsFunc(all[i], func(other probe) bool { return each.path.Within(other.path) || other.path.Within(each.path) })
		})
		if fits < 0 {
			fits = len(at[key])
			at[key] = append(at[key], len(all))
			all = append(all, nil)
		}
		all[at[key][fits]] = append(all[at[key][fits]], each)
	}
	return all
}

// together renders probes together, and halves the group if the chart refuses it or if some hide others.
func (p *Prover) together(group []probe, found map[string]result) {
	values := p.Fixture.Around(group[0].path)
	for _, each := range group {
		values = overlay(values, nested(each.path, each.value))
	}
	rendered, err := p.Chart.facts(p.Chart.part(group[0].path), values)
	if err == nil {
		text := textOf(rendered)
		for _, each := range group {
			if contains(text, each.texts) {
				found[each.key] = result{arrived: true}
			}
		}
	} else if len(group) > 1 {
		p.together(group[:len(group)/2], found)
		p.together(group[len(group)/2:], found)
	}
}

// textOf returns the text of all facts.
func textOf(rendered facts.Facts) string {
	var text strings.Builder
	for object, paths := range rendered {
		text.WriteString(object + "\n")
		for path, value := range paths {
			text.WriteString(path + "\n" + value + "\n")
		}
	}
	return text.String()
}

func contains(text string, any []string) bool {
	return slices.ContainsFunc(any, func(each string) bool { return strings.Contains(text, each) })
}

// alone renders one probe: with the templates that mention it, and if that changes nothing with all.
func (p *Prover) alone(one probe) (result, error) {
	around := p.Fixture.Around(one.path)
	var found result
	for _, part := range []string{p.Chart.near(one.path), p.Chart.part(one.path)} {
		base, err := p.base(part, around)
		if err != nil {
			return found, fmt.Errorf("%s: render without the change: %w", one.key, err)
		}
		rendered, err := p.Chart.facts(part, overlay(around, nested(one.path, one.value)))
		if err != nil {
			return result{refused: err}, nil //nolint:nilerr // a finding
		}
		found = result{}
		for _, change := range facts.Diff(base, rendered) {
			if strings.Contains(change.Path, "nnotation.checksum/") {
				continue
			}
			found.changed = append(found.changed, change)
			found.arrived = found.arrived || change.After != nil && contains(change.Object+" "+change.Path+" "+*change.After, one.texts)
		}
		if found.arrived || len(one.texts) == 0 && len(found.changed) > 0 {
			break
		}
	}
	return found, nil
}

// base returns the facts of a part of the chart with the surrounding values, from the cache.
func (p *Prover) base(part string, around map[string]any) (facts.Facts, error) {
	key := part + fmt.Sprint(around)
	if p.bases == nil {
		p.bases = map[string]facts.Facts{}
	}
	if p.bases[key] == nil {
		base, err := p.Chart.facts(part, around)
		if err != nil {
			return nil, err
		}
		p.bases[key] = base
	}
	return p.bases[key], nil
}

// published returns the probes of published values that are not dropped, each with another value of its type.
func (p *Prover) published(values []Value, droppedValues []dropped.Value) ([]probe, error) {
	var probes []probe
	for i, value := range values {
		if entry, ok := Dropped(droppedValues, value.Path); ok && entry.Renamed == nil {
			continue
		} else if ok {
			value.Path = entry.Now(value.Path)
		}
		made := probe{key: value.Path.String(), path: value.Path}
		word := fmt.Sprintf("changed%dx", i)
		var given bool
		if made.value, given = p.Fixture.To[made.key]; !given {
			current, err := p.Chart.Value(p.Fixture.Around(value.Path), value.Path)
			if err != nil {
				return nil, err
			}
			if current == nil {
				current = value.Default
			}
			if made.value, err = change(value.Type, current, p.Chart.nodeAt(value.Path), word); err != nil {
				return nil, fmt.Errorf("%s: %w", made.key, err)
			}
		}
		made.texts = scalars(made.value)
		made.unique = slices.Contains(made.texts, word)
		probes = append(probes, made)
	}
	return probes, nil
}

// scalars returns the texts, numbers and keys of a value.
func scalars(value any) []string {
	var all []string
	switch at := value.(type) {
	case map[string]any:
		for key, below := range at {
			all = append(append(all, key), scalars(below)...)
		}
	case []any:
		for _, below := range at {
			all = append(all, scalars(below)...)
		}
	case nil, bool:
	default:
		text, err := json.Marshal(at)
		if err == nil {
			all = append(all, strings.Trim(string(text), `"`))
		}
	}
	return all
}

// empties returns the probes that empty the values of the chart: with 0, false, "" or [].
func (p *Prover) empties() ([]probe, error) {
	var probes []probe
	for _, value := range p.Chart.Empties() {
		current, err := p.Chart.Value(p.Fixture.Around(value.Path), value.Path)
		if err != nil {
			return nil, err
		}
		if emptyOf(current) != nil { // or the fixture itself empties it
			probes = append(probes, probe{key: value.Path.String(), path: value.Path, value: value.Default})
		}
	}
	return probes, nil
}

// awkward returns the probes that set each text of the chart to one with all special characters of YAML and templates, unchanged or evaluated.
func (p *Prover) awkward() []probe {
	const rest = "t: \"b\" %s #d\n- e"
	var probes []probe
	for i, place := range p.Chart.Texts() {
		unchanged, evaluated := fmt.Sprintf("t%d"+rest, i, `{{ "c" }}`), fmt.Sprintf("t%d"+rest, i, "c")
		made := probe{key: place.String(), path: place.Path, value: place.with(unchanged), texts: []string{unchanged, evaluated}, unique: true}
		made.texts = append(made.texts, scalars([]any{unchanged, evaluated})...) // in a volume, which is a fact in JSON
		probes = append(probes, made)
	}
	return probes
}
