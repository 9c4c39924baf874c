package solve

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/helmvalues"
)

// Scenario is one way of installing the chart.
type Scenario struct {
	Name string
	// User contains the values of a user, Base is their output.
	User map[string]any
	Base chartrender.Output
	// Locations are the images in Base.
	Locations []locate.Location
}

// Override is a new text for one leaf of the values.
type Override struct {
	Path helmvalues.Path
	Text string
	// Switch is the new value if the leaf is a switch, which has no text; otherwise nil.
	Switch *bool
}

// Unreached is an image that no value redirects.
type Unreached struct {
	Scenario string
	Location locate.Location
	Target   string
	Reason   string
}

// Origin describes which values produced one image.
type Origin struct {
	Scenario string
	Location locate.Location
	Target   string
	// Values are Paths as texts: the paths of the values in the image, in order.
	Values []string
	Paths  []helmvalues.Path
}

// Solution contains the overrides and what they do not reach.
type Solution struct {
	// Names redirect images to the registry; sorted by path.
	Names []Override
	// Pins set tags and digests to their current texts; sorted by path.
	Pins      []Override
	Unreached []Unreached
	Origins   []Origin
	// Uses contains the other fields that an override changes, by its path.
	Uses map[string][]string
}

// Solver finds overrides for scenarios of one chart.
type Solver struct {
	Mapper mapping.Mapper
	Render func(user map[string]any) (chartrender.Output, error)
	// Reads are the values that templates name; unset ones among them are tried.
	Reads chartrender.Reads
	// Banned contains the paths of values that must not change.
	Banned map[string]bool
	// Source returns the text of a template by its name; nil if it is not known.
	Source func(template string) string
	// Enough reports whether no further unset values shall be tried; may be nil.
	Enough func() bool
}

// effort determines what one attempt tries.
type effort struct {
	weak  bool // also values whose name does not indicate an image
	unset bool // also values that are null, empty or absent
	// left are the images for which unset values are tried.
	left []Unreached
}

// Solve finds overrides that fit all scenarios.
func (s Solver) Solve(scenarios []Scenario) Solution {
	best, work := s.attempt(scenarios, effort{})
	for _, further := range []effort{{weak: true}, {weak: true, unset: true}} {
		further.left = s.open(scenarios, best.Unreached)
		if len(further.left) == 0 {
			break
		}
		if further.weak && !further.unset && work.weak == 0 {
			continue
		}
		next, _ := s.attempt(scenarios, further)
		if len(next.Unreached) < len(best.Unreached) {
			best = next
			continue
		}
		for i, one := range best.Unreached { // the later attempt knows more
			if at := slices.IndexFunc(next.Unreached, func(o Unreached) bool { return o.Scenario == one.Scenario && o.Location == one.Location }); at >= 0 {
				best.Unreached[i].Reason = next.Unreached[at].Reason
			}
		}
	}
	if len(best.Unreached) > 0 {
		s.guess(scenarios, &best)
	}
	return best
}

// problem is the state of one attempt.
type problem struct {
	scenarios   []Scenario
	constraints []placed
	unmetReason map[int]string
	variables   map[string]known
	weak        int
	solution    Solution
	marked      [][]Variable // variables that can be marked, by scenario
	// numbered contains the variables of all scenarios: one that is in several has the same marks in all, so that their renders can be reused.
	numbered []Variable
	numbers  map[string]int
	observed []observation // by marked render
	switches []Override    // that lift guards of the templates
	cut      bool          // not all unset values were tried
}

// observedBefore returns what earlier observations tell about all images of a scenario, if these have the same text there, from values that the scenario
// has, too. The marks need not be rendered again; the proof finds out if the templates of this scenario take an image from elsewhere.
func (p *problem) observedBefore(scenario Scenario, ids []int) (observation, bool) {
	candidates := map[int]bool{}
	for _, id := range ids {
		candidates[id] = true
	}
	total := observation{traces: traces{}, uses: map[int][]string{}}
	for _, location := range scenario.Locations {
		id := location.Field.ID()
		at := slices.IndexFunc(p.observed, func(seen observation) bool {
			spans, traced := seen.traces[id]
			return traced && seen.texts[id] == location.Field.Value && len(seen.barred) == 0 && !slices.ContainsFunc(spans, func(s span) bool { return !candidates[s.variable] })
		})
		if at < 0 {
			return observation{}, false
		}
		total.traces[id] = p.observed[at].traces[id]
		maps.Copy(total.uses, p.observed[at].uses)
	}
	return total, len(scenario.Locations) > 0
}

// number returns the index of a variable in numbered, to which it is added if necessary.
func (p *problem) number(v Variable) int {
	key := v.Key() + "\x00" + v.Text
	id, known := p.numbers[key]
	if !known {
		id = len(p.numbered)
		p.numbers[key], p.numbered = id, append(p.numbered, v)
	}
	return id
}

// placed is a constraint with its scenario.
type placed struct {
	constraint
	scenario int
	unset    []string // keys of unset variables that change it
}

// known is a variable with the text of its leaf and what it affects other than images.
type known struct {
	Variable
	leaf  string
	user  bool // the leaf is among the values of a user
	other []string
	unset bool // the leaf is null, empty or absent
}

func (s Solver) attempt(scenarios []Scenario, how effort) (Solution, *problem) {
	work := &problem{scenarios: scenarios, unmetReason: map[int]string{}, variables: map[string]known{}, numbers: map[string]int{}, solution: Solution{Uses: map[string][]string{}}}
	for i := range scenarios {
		s.observe(work, i, how.weak)
	}
	if how.unset {
		s.tryUnset(work, how.left)
	}
	choices, possible := make([][]option, len(work.constraints)), make([]bool, len(work.constraints))
	for i, c := range work.constraints {
		all := options(c, s.Mapper.Registry())
		possible[i] = len(all) > 0
		all = work.dropBanned(work.sortByCost(all), s.Banned)
		if choices[i] = work.dropDivided(all); len(all) > 0 && len(choices[i]) == 0 && work.unmetReason[i] == "" {
			work.unmetReason[i] = "it is in a list that differs between the scenarios; put the target into the values of each"
		}
	}
	staying := make([]option, len(work.constraints))
	for i, c := range work.constraints {
		staying[i] = keepAll(c.readings[0])
		for _, key := range c.unset {
			staying[i][key] = setting{keep: true}
		}
	}
	assigned, unmet := assign(choices, staying)
	work.recordUnmet(possible, unmet)
	work.collect(assigned, unmet)
	if len(work.solution.Names) > 0 {
		work.solution.Names = append(slices.Clone(work.switches), work.solution.Names...)
	}
	return work.solution, work
}

// observe probes one scenario and adds its constraints.
func (s Solver) observe(work *problem, index int, weak bool) {
	scenario := work.scenarios[index]
	texts := make([]string, len(scenario.Locations))
	targets := make([]string, len(scenario.Locations))
	private := false
	for i, location := range scenario.Locations {
		texts[i], targets[i] = location.Text(), location.Text()
		if s.Mapper.Private(location.Image) {
			private = true
		} else {
			targets[i] = s.Mapper.Target(location.Image).String()
		}
	}
	var ids []int
	for _, variable := range Candidates(helmvalues.Leaves(scenario.Base.Values), texts) {
		// If there are private images, the user's values may be overrides from an earlier run, and every one of them counts.
		_, given := helmvalues.Get(scenario.User, variable.Path)
		if !variable.Strong && !(private && given) {
			work.weak++
			if !weak {
				continue
			}
		}
		ids = append(ids, work.number(variable))
	}
	variables := work.numbered
	seen, known := work.observedBefore(scenario, ids)
	if !known {
		prober := Prober{Render: s.Render, User: scenario.User, Base: scenario.Base, Locations: scenario.Locations, Reads: s.Reads, switches: work.switches}
		seen = prober.probe(variables, ids)
		work.switches = prober.switches
		work.observed = append(work.observed, seen)
	}
	for _, id := range ids {
		work.remember(scenario, variables[id], seen.uses[id])
	}
	var good []Variable
	for _, id := range without(ids, seen.barred) {
		good = append(good, variables[id])
	}
	work.marked = append(work.marked, good)
	for _, group := range byField(scenario.Locations) {
		spans, traced := seen.traces[scenario.Locations[group[0]].Field.ID()]
		for _, c := range buildConstraints(group, scenario.Locations, spans, variables, targets) {
			if reason := explainBarred(c, traced, seen, variables); reason != "" {
				work.unmetReason[len(work.constraints)] = reason
			}
			work.constraints = append(work.constraints, placed{constraint: c, scenario: index})
			work.recordOrigins(scenario, c, targets)
		}
	}
}

// explainBarred returns the reason why a constraint may lack the variable it needs, "" if it is traced and not related to a barred variable.
func explainBarred(c constraint, traced bool, seen observation, variables []Variable) string {
	current := text(c.readings[0])
	for _, id := range seen.barred {
		if v := variables[id]; strings.Contains(current, v.Text) && (strings.ContainsAny(v.Text, "/") || strings.HasPrefix(current, v.Text)) {
			if message := seen.refusals[id]; message != "" {
				return fmt.Sprintf("the chart refuses another text in %s: %s", v.Path, message)
			}
			return fmt.Sprintf("the template behaves differently when %s changes", v.Path)
		}
	}
	if !traced {
		return "the template behaves differently when any of its values changes"
	}
	return ""
}

func indexes(variables []Variable) []int {
	ids := make([]int, len(variables))
	for i := range ids {
		ids[i] = i
	}
	return ids
}

func (p *problem) remember(scenario Scenario, variable Variable, uses []string) {
	key := variable.Key()
	entry, ok := p.variables[key]
	if !ok {
		node, _ := helmvalues.Get(scenario.Base.Values, variable.Path)
		entry = known{Variable: variable}
		entry.leaf, _ = helmvalues.Leaf{Path: variable.Path, Value: node}.Text()
	}
	if _, given := helmvalues.Get(scenario.User, variable.Path); given {
		entry.user = true
	}
	entry.other = append(entry.other, uses...)
	p.variables[key] = entry
}

func (p *problem) recordOrigins(scenario Scenario, c constraint, targets []string) {
	var texts []string
	var paths []helmvalues.Path
	seen := map[string]bool{}
	for _, a := range c.readings[0] {
		path := p.variables[a.variable].Path
		if text := path.String(); a.variable != "" && !seen[text] {
			seen[text] = true
			texts, paths = append(texts, text), append(paths, path)
		}
	}
	for _, i := range c.locations {
		p.solution.Origins = append(p.solution.Origins, Origin{Scenario: scenario.Name, Location: scenario.Locations[i], Target: targets[i], Values: texts, Paths: paths})
	}
}

// byField groups locations in the same field; they are adjacent.
func byField(locations []locate.Location) [][]int {
	var groups [][]int
	for i, location := range locations {
		if i > 0 && location.Field.ID() == locations[i-1].Field.ID() {
			groups[len(groups)-1] = append(groups[len(groups)-1], i)
			continue
		}
		groups = append(groups, []int{i})
	}
	return groups
}

// dropBanned returns the options that change no banned variable.
func (p *problem) dropBanned(all []option, banned map[string]bool) []option {
	if len(banned) == 0 {
		return all
	}
	var rest []option
next:
	for _, o := range all {
		for key, wanted := range o {
			if !wanted.keep && banned[p.variables[key].Path.String()] {
				continue next
			}
		}
		rest = append(rest, o)
	}
	return rest
}

// sortByCost sorts options by the number of changed variables that affect other fields than images.
func (p *problem) sortByCost(all []option) []option {
	cost := func(o option) int {
		total := 0
		for key, wanted := range o {
			if !wanted.keep && len(p.variables[key].other) > 0 {
				total++
			}
		}
		return total
	}
	sort.SliceStable(all, func(a, b int) bool { return cost(all[a]) < cost(all[b]) })
	return all
}

// recordUnmet adds the images of unmet constraints to the solution, with the reason; possible reports whether values would meet a constraint alone.
func (p *problem) recordUnmet(possible []bool, unmet []int) {
	for _, i := range unmet {
		c := p.constraints[i]
		reason, known := p.unmetReason[i]
		if !known {
			reason = p.reason(c, possible[i])
		}
		scenario := p.scenarios[c.scenario]
		for _, at := range c.locations {
			location := scenario.Locations[at]
			p.solution.Unreached = append(p.solution.Unreached, Unreached{Scenario: scenario.Name, Location: location, Target: p.target(scenario, location), Reason: reason})
		}
	}
}

func (p *problem) target(scenario Scenario, location locate.Location) string {
	for _, origin := range p.solution.Origins {
		if origin.Scenario == scenario.Name && origin.Location == location {
			return origin.Target
		}
	}
	return ""
}

func (p *problem) reason(c placed, contradicted bool) string {
	var paths []string
	for _, a := range c.readings[0] {
		if a.variable != "" {
			paths = append(paths, p.variables[a.variable].Path.String())
		}
	}
	if contradicted && len(paths) == 0 {
		for _, key := range c.unset {
			paths = append(paths, p.variables[key].Path.String())
		}
	}
	location := p.scenarios[c.scenario].Locations[c.locations[0]]
	switch {
	case chartrender.Document{Template: location.Field.Object.Template}.Unrendered():
		return "it is in crds/, which Helm installs as it is"
	case contradicted:
		return fmt.Sprintf("another image that uses %s needs a different value", strings.Join(paths, " and "))
	case len(paths) == 0 && p.cut:
		return "the template writes it itself, or reads a value that was not tried in time; increase --render-time"
	case len(paths) == 0:
		return "the template writes it itself"
	default:
		return fmt.Sprintf("%s sets only a part of it; the template hard-codes the rest", strings.Join(paths, " and "))
	}
}
