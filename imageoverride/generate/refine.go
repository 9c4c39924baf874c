package generate

import (
	"context"
	"sort"

	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/render"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/imageoverride/values"
)

// maxRefinements bounds how often the solver is asked for other values because
// those it found do harm.
const maxRefinements = 4

// solve finds overrides that do no harm: the schemas take them, the templates
// render with them, and every image is its target or as it was.
func (r *run) solve(ctx context.Context) (solve.Solution, error) {
	solver := solve.Solver{
		Mapper: r.mapper, Reads: r.renderer.Reads(), Banned: map[string]bool{},
		Render: func(user map[string]any) (render.Output, error) { return r.renderer.Render(ctx, user) },
	}
	for round := 0; ; round++ {
		solution := solver.Solve(r.scenarios)
		if err := ctx.Err(); err != nil {
			return solution, err
		}
		kept := r.harmless(ctx, nil, solution.Names)
		if err := ctx.Err(); err != nil {
			return solution, err
		}
		if len(kept) == len(solution.Names) || round == maxRefinements {
			solution.Names = kept
			solution.Pins = r.harmless(ctx, kept, solution.Pins)
			r.settle(&solution)
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

// harmless are as many of the overrides as do no harm on top of others.
func (r *run) harmless(ctx context.Context, below, overrides []solve.Override) []solve.Override {
	if len(overrides) == 0 {
		return nil
	}
	items := make([]int, len(overrides))
	for i := range items {
		items[i] = i
	}
	kept := solve.Isolate(func(chosen []int) bool {
		all := append([]solve.Override{}, below...)
		for _, i := range chosen {
			all = append(all, overrides[i])
		}
		return r.fits(ctx, all)
	}, items)
	sort.Ints(kept)
	out := make([]solve.Override, len(kept))
	for i, at := range kept {
		out[i] = overrides[at]
	}
	return out
}

// fits tells whether overrides do no harm in any scenario.
func (r *run) fits(ctx context.Context, overrides []solve.Override) bool {
	tree, err := solve.Tree(overrides, r.coalesced)
	if err != nil {
		return false
	}
	outputs := make([]render.Output, len(r.scenarios))
	for i, scenario := range r.scenarios {
		user := values.Merge(scenario.User, tree)
		if ctx.Err() != nil || r.renderer.Check(user) != nil {
			return false
		}
		output, err := r.renderer.Render(ctx, user)
		if err != nil {
			return false
		}
		if moved, ok := r.moved(scenario, output); !ok || moved == nil {
			return false
		}
		outputs[i] = output
	}
	r.rendered = outputs
	return true
}

// moved tells for every image of a scenario whether it is at its target in a
// render; it is false if one is neither there nor as it was.
func (r *run) moved(scenario solve.Scenario, output render.Output) ([]bool, bool) {
	found, err := r.index.Find(output.Documents, r.hosts())
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

// settle says of every image that stays outside why: what renders counts, not
// what was planned.
func (r *run) settle(solution *solve.Solution) {
	reasons := map[locate.Location]string{}
	for _, unreached := range solution.Unreached {
		reasons[unreached.Location] = unreached.Reason
	}
	var left []solve.Unreached
	for i, scenario := range r.scenarios {
		output := scenario.Base
		if len(solution.Names) > 0 && len(r.rendered) > i {
			output = r.rendered[i]
		}
		moved, ok := r.moved(scenario, output)
		for at, location := range scenario.Locations {
			if ok && moved[at] || r.mapper.Private(location.Image) {
				continue
			}
			reason := reasons[location]
			if reason == "" {
				reason = "the chart refuses the values that would change it, or they change another image"
			}
			left = append(left, solve.Unreached{Scenario: scenario.Name, Location: location, Target: r.mapper.Target(location.Image).String(), Reason: reason})
		}
	}
	solution.Unreached = left
}
