package generate

import (
	"context"
	"fmt"

	"gitops-runtime/imageoverride/render"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/imageoverride/values"
)

// maxRounds bounds how often newly enabled charts are searched for switches of
// their own.
const maxRounds = 4

// everything adds to each scenario one in which every switch is on that can be
// on together with the others, so that features nobody uses yet have their
// images, too.
func (r *run) everything(ctx context.Context, users []user) ([]user, error) {
	all := append([]user{}, users...)
	for _, from := range users {
		tree, err := r.switchOn(ctx, from)
		if err != nil {
			return nil, err
		}
		all = append(all, user{name: from.name + "+everything", tree: tree})
	}
	return all, nil
}

func (r *run) switchOn(ctx context.Context, from user) (map[string]any, error) {
	tree := from.tree
	tried := map[string]bool{}
	for range maxRounds {
		base, err := r.renderer.Render(tree)
		if err != nil {
			return nil, r.refused(from.name, from.tree, fmt.Errorf("scenario %s does not render: %w", from.name, err))
		}
		switches := newSwitches(base.Values, tried)
		if len(switches) == 0 {
			break
		}
		items := make([]int, len(switches))
		for i := range items {
			items[i] = i
		}
		kept := solve.Isolate(func(chosen []int) bool {
			if ctx.Err() != nil {
				return false
			}
			_, err := r.renderer.Render(flipped(tree, base, switches, chosen))
			return err == nil
		}, items)
		kept = solve.Isolate(func(chosen []int) bool {
			if ctx.Err() != nil {
				return false
			}
			_, err := r.renderer.RenderWithHelm(flipped(tree, base, switches, chosen))
			return err == nil
		}, kept)
		tree = flipped(tree, base, switches, kept)
	}
	return tree, ctx.Err()
}

// newSwitches lists leaves named "enabled" that are off and were not tried.
func newSwitches(tree map[string]any, tried map[string]bool) []values.Path {
	var paths []values.Path
	for _, leaf := range values.Leaves(tree) {
		key := leaf.Path.String()
		if on, isSwitch := leaf.Value.(bool); isSwitch && !on && leaf.Path.Key() == "enabled" && !tried[key] {
			tried[key] = true
			paths = append(paths, leaf.Path)
		}
	}
	return paths
}

func flipped(tree map[string]any, base render.Output, switches []values.Path, chosen []int) map[string]any {
	out := values.CopyTree(tree)
	for _, i := range chosen {
		// A switch inside a list that is not there any more is left as it is.
		_ = values.Set(out, base.Values, switches[i], true)
	}
	return out
}
