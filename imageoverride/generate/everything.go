package generate

import (
	"context"
	"fmt"
	"slices"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/internal/helmvalues"
)

// maxRounds limits how often newly enabled charts are searched for switches,
// maxSets the number of additional scenarios for switches that exclude each
// other.
const (
	maxRounds = 4
	maxSets   = 4
)

// Apart is a switch that stays off, with the reason.
type Apart struct {
	Scenario, Switch, Reason string
}

// everything adds to each scenario one with all compatible switches on, and further ones for switches that exclude those, so that the images of
// unused features are included, too.
func (r *run) everything(ctx context.Context, users []user) ([]user, error) {
	all := append([]user{}, users...)
	for _, from := range users {
		r.options.step("turn on the switches of scenario %s", from.name)
		t := &turning{run: r, ctx: ctx, from: from, tried: map[string]bool{}}
		trees, err := t.sets()
		if err != nil {
			return nil, err
		}
		for i, tree := range trees {
			name := from.name + "+everything"
			if i > 0 {
				name = fmt.Sprintf("%s-%d", name, i+1)
			}
			all = append(all, user{name: name, tree: tree})
		}
	}
	return all, nil
}

// turning is the state of turning on the switches of one scenario.
type turning struct {
	*run
	ctx   context.Context
	from  user
	tried map[string]bool
	left  []helmvalues.Path // switches that are incompatible with the others
}

func (t *turning) sets() ([]map[string]any, error) {
	first, err := t.turnOn(t.from.tree)
	if err != nil {
		return nil, err
	}
	trees := []map[string]any{first}
	for len(t.left) > 0 && len(trees) <= maxSets {
		base, err := t.renderer.Render(t.ctx, t.from.tree)
		if err != nil {
			return nil, err
		}
		rest := t.left
		kept := t.together(t.from.tree, base, rest)
		if len(kept) == 0 {
			break
		}
		trees = append(trees, flipped(t.from.tree, base, rest, kept))
		t.left = nil
		for _, i := range without(len(rest), kept) {
			t.left = append(t.left, rest[i])
		}
	}
	return trees, t.explain()
}

// turnOn turns on compatible switches, including those of charts that they enable.
func (t *turning) turnOn(tree map[string]any) (map[string]any, error) {
	for range maxRounds {
		base, err := t.renderer.Render(t.ctx, tree)
		if err != nil {
			return nil, t.refused(t.ctx, t.from.name, t.from.tree, fmt.Errorf("scenario %s does not render: %w", t.from.name, err))
		}
		switches := newSwitches(base.Values, t.tried)
		if len(switches) == 0 {
			break
		}
		kept := t.together(tree, base, switches)
		for _, i := range without(len(switches), kept) {
			t.left = append(t.left, switches[i])
		}
		tree = flipped(tree, base, switches, kept)
	}
	return tree, t.ctx.Err()
}

// together returns the indexes of switches that can be on at the same time,
// first for the deterministic engine and the schemas, then for Helm's engine.
func (t *turning) together(tree map[string]any, base chartrender.Output, switches []helmvalues.Path) []int {
	items := make([]int, len(switches))
	for i := range items {
		items[i] = i
	}
	kept := solve.Isolate(func(chosen []int) bool { return t.bad(flipped(tree, base, switches, chosen)) == nil }, items)
	return solve.Isolate(func(chosen []int) bool {
		_, err := t.renderer.RenderWithHelm(t.ctx, flipped(tree, base, switches, chosen))
		return err == nil
	}, kept)
}

// bad returns the error of values that do not install: from a schema, a template, or a manifest.
func (t *turning) bad(tree map[string]any) error {
	output, err := t.renderer.RenderValid(t.ctx, tree)
	if err != nil {
		return err
	}
	_, err = t.index.Find(output.Documents, t.hosts())
	return err
}

// explain adds the remaining switches to the result, with the reason why they stay off.
func (t *turning) explain() error {
	base, err := t.renderer.Render(t.ctx, t.from.tree)
	if err != nil {
		return err
	}
	for i, path := range t.left {
		reason := "it does not go together with the others"
		if err := t.bad(flipped(t.from.tree, base, t.left, []int{i})); err != nil {
			reason = err.Error()
		}
		t.result.Apart = append(t.result.Apart, Apart{Scenario: t.from.name, Switch: path.String(), Reason: reason})
	}
	return t.ctx.Err()
}

// without returns the numbers from 0 to count-1 that are not in kept.
func without(count int, kept []int) []int {
	var rest []int
	for i := range count {
		if !slices.Contains(kept, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// newSwitches returns leaves named "enabled" that are false and not in tried, and adds them to tried.
func newSwitches(tree map[string]any, tried map[string]bool) []helmvalues.Path {
	var paths []helmvalues.Path
	for _, leaf := range helmvalues.Leaves(tree) {
		key := leaf.Path.String()
		if on, isSwitch := leaf.Value.(bool); isSwitch && !on && leaf.Path.Key() == "enabled" && !tried[key] {
			tried[key] = true
			paths = append(paths, leaf.Path)
		}
	}
	return paths
}

func flipped(tree map[string]any, base chartrender.Output, switches []helmvalues.Path, chosen []int) map[string]any {
	out := helmvalues.CopyTree(tree)
	for _, i := range chosen {
		// A switch in a list that no longer exists is ignored.
		_ = helmvalues.Set(out, base.Values, switches[i], true)
	}
	return out
}
