package generate

import (
	"context"
	"fmt"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/proof"
)

// Inspection contains the images of all scenarios of a chart.
type Inspection struct {
	// Locations counts all images, Outside contains those that are not private.
	Locations int
	Outside   []Left
	// Unread and Suspected are places that cannot be proved to be private.
	Unread, Suspected []Doubt
	// KubeVersion is the Kubernetes version that templates saw.
	KubeVersion string
}

// Verify renders a chart with Helm's engine and returns the images that are not at the private registry.
func Verify(ctx context.Context, options Options) (Inspection, error) {
	mapper, err := options.mapper()
	if err != nil {
		return Inspection{}, err
	}
	var seen Inspection
	r := run{mapper: mapper, options: options, index: locate.NewIndex()}
	seen.KubeVersion, err = eachScenario(ctx, options, func(name string, output chartrender.Output) error {
		found, err := r.index.Find(output.Documents, r.hosts())
		if err != nil {
			return err
		}
		seen.Locations += len(found.Locations)
		unread, suspected := r.doubts(name, found)
		seen.Unread, seen.Suspected = append(seen.Unread, unread...), append(seen.Suspected, suspected...)
		for _, left := range proof.OutsideOf(found.Locations, mapper) {
			if r.accepts(left.Object+" "+left.Path, left.Image) {
				continue
			}
			seen.Outside = append(seen.Outside, Left{Scenario: name, Outside: left})
		}
		return nil
	})
	return seen, err
}

// eachScenario renders all scenarios of a chart with Helm's engine and calls visit for each.
func eachScenario(ctx context.Context, options Options, visit func(name string, output chartrender.Output) error) (kubeVersion string, err error) {
	loaded, err := options.load(ctx)
	if err != nil {
		return "", err
	}
	renderer, err := chartrender.NewRenderer(loaded, options.Settings)
	if err != nil {
		return "", err
	}
	users, err := options.users(ctx, loaded, renderer)
	if err != nil {
		return "", err
	}
	for _, user := range users {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		output, err := renderer.RenderWithHelm(ctx, user.tree)
		if err != nil {
			return "", fmt.Errorf("scenario %s does not render: %w", user.name, err)
		}
		if err := visit(user.name, output); err != nil {
			return "", fmt.Errorf("scenario %s: %w", user.name, err)
		}
	}
	return renderer.KubeVersion(), nil
}
