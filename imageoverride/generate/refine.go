package generate

import (
	"context"
	"slices"
	"sort"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/internal/helmvalues"
)

// maxRefinements limits how often the solver searches for other values if the ones it found have side effects.
const maxRefinements = 4

// solve finds overrides without side effects: the schemas accept them, the templates render with them, and every image is its target or unchanged.
func (r *run) solve(ctx context.Context) (solve.Solution, error) {
	solver := solve.Solver{
		Mapper: r.mapper, Reads: r.renderer.Reads(), Banned: map[string]bool{}, Source: r.renderer.Source, Enough: r.options.Enough,
	}
	renders := 0
	solver.Render = func(user map[string]any) (chartrender.Output, error) {
		renders++
		r.options.step("find the values of %d image references (render %d)", r.result.Images, renders)
		return r.renderer.Render(ctx, user)
	}
	for round := 0; ; round++ {
		solution := solver.Solve(r.scenarios)
		if err := ctx.Err(); err != nil {
			return solution, err
		}
		kept := r.harmless(ctx, solution.Names)
		if err := ctx.Err(); err != nil {
			return solution, err
		}
		if len(kept) == len(solution.Names) || round == maxRefinements {
			solution.Names = r.neededSwitches(ctx, kept)
			r.settle(&solution)
			solution.Pins = r.exact(ctx, solution.Names, solution.Pins)
			return solution, ctx.Err()
		}
		good := map[string]bool{}
		for _, override := range kept {
			good[override.Path.String()] = true
		}
		for _, override := range solution.Names {
			if key := override.Path.String(); !good[key] {
				solver.Banned[key] = true
				r.harmful[key] = true
			}
		}
	}
}

// neededSwitches returns overrides without the switches that the chart accepts the images without, and records the others.
func (r *run) neededSwitches(ctx context.Context, overrides []solve.Override) []solve.Override {
	var without []solve.Override
	for _, override := range overrides {
		if override.Switch == nil {
			without = append(without, override)
		}
	}
	if len(without) == len(overrides) {
		return overrides
	}
	rendered, proved := r.rendered, r.proved
	if r.fits(ctx, without) {
		r.proved = false
		return without
	}
	r.rendered, r.proved = rendered, proved
	for _, override := range overrides {
		if override.Switch != nil {
			r.result.Switches = append(r.result.Switches, override)
		}
	}
	return overrides
}

// exact returns as many of the pins as possible that have no effect in addition to the names: a number that is written as a string may have one. If
// every pin is the current text, nothing needs to be rendered.
func (r *run) exact(ctx context.Context, names, pins []solve.Override) []solve.Override {
	var same, others []solve.Override
	for _, pin := range pins {
		if r.holds(pin) {
			same = append(same, pin)
		} else {
			others = append(others, pin)
		}
	}
	plain, err := solve.Tree(names, r.coalesced)
	if err != nil {
		return same
	}
	before := map[int][]chartrender.Document{} // by scenario, without the pins
	kept := r.isolated(others, func(chosen []solve.Override) bool {
		tree, err := solve.Tree(append(append([]solve.Override{}, names...), chosen...), r.coalesced)
		for i, scenario := range r.scenarios {
			if !slices.ContainsFunc(chosen, func(pin solve.Override) bool { return changes(scenario, pin) }) {
				continue
			}
			user := helmvalues.Merge(scenario.User, tree)
			if err != nil || ctx.Err() != nil {
				return false
			}
			if before[i] == nil {
				output, err := r.renderer.Render(ctx, helmvalues.Merge(scenario.User, plain))
				if err != nil {
					return false
				}
				before[i] = output.Documents
			}
			output, err := r.renderer.RenderValid(ctx, user)
			if err != nil || !slices.Equal(before[i], output.Documents) {
				return false
			}
		}
		return true
	})
	return append(same, kept...)
}

// changes reports whether a pin may change the values of a scenario. An item of a list replaces the whole list, which may be that of another
// scenario.
func changes(scenario solve.Scenario, pin solve.Override) bool {
	node, _ := helmvalues.Get(scenario.Base.Values, pin.Path)
	return node != pin.Text || slices.ContainsFunc(pin.Path, func(s helmvalues.Step) bool { return s.Key == "" })
}

// holds reports whether all scenarios already have the value of a pin.
func (r *run) holds(pin solve.Override) bool {
	for _, scenario := range r.scenarios {
		if node, _ := helmvalues.Get(scenario.Base.Values, pin.Path); node != pin.Text {
			return false
		}
	}
	return true
}

// harmless returns as many of the overrides as possible that have no side effects together.
func (r *run) harmless(ctx context.Context, overrides []solve.Override) []solve.Override {
	if r.proved = r.proveAtOnce(ctx, overrides); r.proved {
		return overrides
	}
	return r.isolated(overrides, func(chosen []solve.Override) bool { return r.fits(ctx, chosen) })
}

// proveAtOnce renders all scenarios with Helm's engine and the overrides, and reports whether every image is its target or unchanged, and nothing else
// changes. Then there is nothing left to prove. It returns false for charts with random values, too, since Helm's engine does not repeat those.
func (r *run) proveAtOnce(ctx context.Context, overrides []solve.Override) bool {
	tree, err := solve.Tree(overrides, r.coalesced)
	if err != nil || len(overrides) == 0 || slices.ContainsFunc(r.scenarios, func(s solve.Scenario) bool { return s.Base.Volatile }) {
		return false
	}
	if len(r.scenarios) > 1 {
		r.renderer.ForgetTemplates()
	}
	rendered := make([][]chartrender.Document, len(r.scenarios))
	for i, scenario := range r.scenarios {
		r.options.step("prove scenario %s with Helm (%d of %d)", scenario.Name, i+1, len(r.scenarios))
		output, err := r.renderer.RenderWithHelm(ctx, helmvalues.Merge(scenario.User, tree))
		if err != nil {
			return false
		}
		moved, ok := r.moved(scenario, output.Documents)
		if !ok {
			return false
		}
		targets := map[locate.Location]string{}
		for at, location := range scenario.Locations {
			targets[location] = location.Text()
			if moved[at] {
				targets[location] = r.mapper.Target(location.Image).String()
			}
		}
		changes, err := r.comparer.Compare(scenario.Base.Documents, output.Documents, scenario.Locations, func(l locate.Location) string { return targets[l] })
		if err != nil || len(changes) > 0 {
			return false
		}
		rendered[i] = output.Documents
	}
	r.rendered = rendered
	return true
}

// isolated returns as many of the overrides as possible that are good together, in their order.
func (r *run) isolated(overrides []solve.Override, good func([]solve.Override) bool) []solve.Override {
	items := make([]int, len(overrides))
	for i := range items {
		items[i] = i
	}
	pick := func(chosen []int) []solve.Override {
		all := make([]solve.Override, len(chosen))
		for i, at := range chosen {
			all[i] = overrides[at]
		}
		return all
	}
	kept := solve.Isolate(func(chosen []int) bool { return good(pick(chosen)) }, items)
	sort.Ints(kept)
	return pick(kept)
}

// fits reports whether overrides have no side effects in any scenario.
func (r *run) fits(ctx context.Context, overrides []solve.Override) bool {
	tree, err := solve.Tree(overrides, r.coalesced)
	if err != nil {
		return false
	}
	rendered := make([][]chartrender.Document, len(r.scenarios))
	for i, scenario := range r.scenarios {
		user := helmvalues.Merge(scenario.User, tree)
		if ctx.Err() != nil {
			return false
		}
		output, err := r.renderer.RenderValid(ctx, user)
		if err != nil {
			return false
		}
		if _, ok := r.moved(scenario, output.Documents); !ok {
			return false
		}
		rendered[i] = output.Documents
	}
	r.rendered = rendered
	return true
}

// moved returns for every image of a scenario whether it is at its target in a render; it returns false if an image is neither there nor unchanged.
func (r *run) moved(scenario solve.Scenario, documents []chartrender.Document) ([]bool, bool) {
	found, err := r.index.Find(documents, r.hosts())
	if err != nil {
		return nil, false
	}
	after := map[string][]locate.Location{}
	for _, location := range found.Locations {
		id := location.Field.ID()
		after[id] = append(after[id], location)
	}
	moved := make([]bool, len(scenario.Locations))
	position := map[string]int{}
	for i, location := range scenario.Locations {
		id := location.Field.ID()
		at := position[id]
		position[id]++
		if at >= len(after[id]) {
			return nil, false
		}
		now := after[id][at].Text()
		switch {
		case r.mapper.Private(location.Image):
			moved[i] = now == location.Text()
			if !moved[i] {
				return nil, false
			}
		case now == r.mapper.Target(location.Image).String():
			moved[i] = true
		case now != location.Text():
			return nil, false
		}
	}
	return moved, true
}

// settle records every image that stays outside, with the reason. The render is decisive, not the plan of the solver.
func (r *run) settle(solution *solve.Solution) {
	reasons := map[locate.Location]string{}
	for _, unreached := range solution.Unreached {
		reasons[unreached.Location] = unreached.Reason
	}
	var left []solve.Unreached
	if len(solution.Names) == 0 {
		r.rendered = make([][]chartrender.Document, len(r.scenarios))
		for i, scenario := range r.scenarios {
			r.rendered[i] = scenario.Base.Documents
		}
	}
	for i, scenario := range r.scenarios {
		moved, ok := r.moved(scenario, r.rendered[i])
		for at, location := range scenario.Locations {
			if ok && moved[at] || r.mapper.Private(location.Image) {
				continue
			}
			reason := reasons[location]
			if reason == "" {
				reason = "the chart rejects the values that would change it, or they change another image"
			}
			left = append(left, solve.Unreached{Scenario: scenario.Name, Location: location, Target: r.mapper.Target(location.Image).String(), Reason: reason})
		}
	}
	solution.Unreached = left
}
