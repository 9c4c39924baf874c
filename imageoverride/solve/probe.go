package solve

import (
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/internal/helmvalues"
)

// rendering begins the errors of renders with marks.
const rendering = "render with marks: "

// maxProbes limits the renders for isolating values that must not be marked.
const maxProbes = 120

// Prober renders one scenario with marked values.
type Prober struct {
	// Render renders the chart with a user's values.
	Render func(user map[string]any) (chartrender.Output, error)
	// User contains the scenario's values, Base is their output.
	User map[string]any
	Base chartrender.Output
	// Locations are the images found in Base.
	Locations []locate.Location
	// Reads are the values that templates name, among which the switches of guards are found.
	Reads chartrender.Reads

	probes   int
	turned   int        // renders for finding switches
	switches []Override // that lift guards, so that marks do not make the templates fail
}

// traces contains the spans that variables produced in a field, by the field's ID.
type traces map[string][]span

// observation is the result of one marked render.
type observation struct {
	traces traces
	// texts are the texts of the traced fields, by ID.
	texts map[string]string
	// uses are other fields in which a variable occurs, by the number of the variable.
	uses map[int][]string
	// barred are variables that cannot be marked without changing the template's behavior.
	barred []int
	// refusals are the messages with which the templates refused marks, by the variable that was marked in addition to accepted ones.
	refusals map[int]string
}

// probe marks as many of the variables as possible and returns what produced the field of each image. Fields missing from the result could not be
// traced.
func (p *Prober) probe(variables []Variable, ids []int) observation {
	wanted := map[string]bool{}
	for _, location := range p.Locations {
		wanted[location.Field.ID()] = true
	}
	total := observation{traces: traces{}, uses: map[int][]string{}, refusals: map[int]string{}}
	refused := func(chosen []int, err error) {
		if message := refusal(err); message != "" && len(chosen) > 0 {
			total.refusals[chosen[len(chosen)-1]] = message
		}
	}
	seen, err := p.observe(variables, ids)
	if err != nil && len(ids) > 0 {
		seen, err = p.lift(variables, ids, err)
	}
	if err != nil {
		refused(ids, err)
	} else {
		total.traces, total.uses, total.texts = seen.traces, seen.uses, seen.texts
		for id := range seen.traces {
			delete(wanted, id)
		}
	}
	if len(wanted) == 0 || len(ids) == 0 {
		return total
	}
	var last observation
	good := func(chosen []int) bool {
		if p.probes >= maxProbes {
			return false
		}
		seen, err := p.observe(variables, chosen)
		if err != nil && p.turned < maxTurned {
			seen, err = p.lift(variables, chosen, err)
		}
		if err != nil {
			refused(chosen, err)
			return false
		}
		for id := range wanted {
			if _, ok := seen.traces[id]; !ok {
				return false
			}
		}
		last = seen
		return true
	}
	total.barred = without(ids, isolate(good, nil, ids, true)) // not empty: such an observation is not used again
	for id := range wanted {
		if spans, ok := last.traces[id]; ok {
			total.traces[id] = spans
		}
	}
	for id, fields := range last.uses {
		if _, ok := total.uses[id]; !ok {
			total.uses[id] = fields
		}
	}
	return total
}

func without(all, kept []int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(id int) bool { return slices.Contains(kept, id) })
}

// observe renders once with the chosen variables marked.
func (p *Prober) observe(variables []Variable, chosen []int) (observation, error) {
	p.probes++
	user, err := p.marked(variables, chosen)
	if err != nil {
		return observation{}, err
	}
	output, err := p.Render(user)
	if err != nil {
		return observation{}, fmt.Errorf(rendering+"%w", err)
	}
	before := map[string]locate.Field{}
	for _, location := range p.Locations {
		before[location.Field.ID()] = location.Field
	}
	ids := map[string][]string{}
	for _, location := range p.Locations {
		object := location.Field.Object
		key := chartrender.Document{Template: object.Template, Index: object.Index}.Key()
		ids[key] = append(ids[key], location.Field.ID())
	}
	same := map[chartrender.Document]bool{}
	for _, document := range p.Base.Documents {
		same[document] = true
	}
	seen := observation{traces: traces{}, uses: map[int][]string{}, texts: map[string]string{}}
	for id, field := range before {
		seen.texts[id] = field.Value
	}
	for _, document := range output.Documents {
		if document.Definition() && ids[document.Key()] == nil {
			continue
		}
		if !strings.Contains(document.Text, "xq") && same[document] {
			for _, id := range ids[document.Key()] {
				seen.traces[id] = nil
			}
			continue
		}
		fields, err := locate.Fields(document, clean)
		if err != nil {
			continue
		}
		for _, field := range fields {
			plain, spans, ok := unmark(field.Value)
			base, isImage := before[field.ID()]
			switch {
			case isImage && ok && plain == base.Value:
				seen.traces[field.ID()] = spans
			case !isImage && len(spans) > 0:
				for _, s := range spans {
					seen.uses[s.variable] = append(seen.uses[s.variable], field.Object.String()+" "+field.Path)
				}
			}
		}
	}
	return seen, nil
}

// marked returns the scenario's values with the chosen variables marked.
func (p *Prober) marked(variables []Variable, chosen []int) (map[string]any, error) {
	user := helmvalues.CopyTree(p.User)
	for _, one := range p.switches {
		if err := helmvalues.Set(user, p.Base.Values, one.Path, *one.Switch); err != nil {
			return nil, fmt.Errorf("switch %s: %w", one.Path, err)
		}
	}
	byLeaf := map[string][]int{}
	var order []string
	for _, id := range chosen {
		key := variables[id].Path.String()
		if _, ok := byLeaf[key]; !ok {
			order = append(order, key)
		}
		byLeaf[key] = append(byLeaf[key], id)
	}
	for _, key := range order {
		ids := byLeaf[key]
		path := variables[ids[0]].Path
		node, _ := helmvalues.Get(p.Base.Values, path)
		text, _ := helmvalues.Leaf{Path: path, Value: node}.Text()
		if err := helmvalues.Set(user, p.Base.Values, path, markLeaf(text, variables, ids)); err != nil {
			return nil, fmt.Errorf("mark value: %w", err)
		}
	}
	return user, nil
}
