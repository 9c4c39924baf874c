// Command gen writes one kind of the files that are derived from others in the checkout: go run ./hack/gen NAME.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/artifacthub"
	"gitops-runtime/tests/compat"
	"gitops-runtime/tests/contract"
	"gitops-runtime/tests/crds"
	"gitops-runtime/tests/dashboards"
	"gitops-runtime/tests/readme"
	"gitops-runtime/tests/security"
)

// generators are the kinds of files by name. Each writes its files below root.
var generators = map[string]func(ctx context.Context, root string) error{
	// what ArtifactHub shows, in the Chart.yaml of each chart
	"artifacthub": written(func(_ context.Context, root string) ([]generated.File, error) { return artifacthub.Generate(root) }),
	// the tables of the values that each chart takes over from the community chart
	"compat": written(func(_ context.Context, root string) ([]generated.File, error) { return compat.Pages(root) }),
	// the page of the differences between the published chart and the umbrella chart
	"contract": written(differences),
	// the custom resource definitions of the charts, from the pinned modules
	"crds": definitions,
	// the dashboards of the umbrella chart
	"dashboards": written(func(context.Context, string) ([]generated.File, error) { return dashboards.Generate() }),
	// the README of each chart
	"readme": written(readme.Generate),
	// the security page of the umbrella chart
	"security": written(func(ctx context.Context, root string) ([]generated.File, error) {
		page, err := security.Generate(ctx, root)
		return []generated.File{{Path: security.Path, Text: page}}, err
	}),
}

func main() {
	name := strings.Join(os.Args[1:], " ")
	generate := generators[name]
	if generate == nil {
		fmt.Fprintln(os.Stderr, "usage: gen", strings.Join(slices.Sorted(maps.Keys(generators)), "|"))
		os.Exit(2)
	}
	generated.Main("gen "+name, generate)
}

// written returns a function that writes what generate returns.
func written(generate func(ctx context.Context, root string) ([]generated.File, error)) func(ctx context.Context, root string) error {
	return func(ctx context.Context, root string) error {
		files, err := generate(ctx, root)
		if err != nil {
			return err
		}
		return generated.Write(root, files)
	}
}

func differences(ctx context.Context, _ string) ([]generated.File, error) {
	comparison, outcomes, err := contract.Run(ctx)
	if err != nil {
		return nil, err
	}
	page, err := contract.Page(comparison, outcomes)
	return []generated.File{{Path: contract.Path, Text: []byte(page)}}, err
}

// definitions writes the definitions, removes those that have no source anymore, and reports the sizes.
func definitions(ctx context.Context, root string) error {
	files, err := crds.Generate(ctx, root, crds.Sources())
	if err != nil {
		return err
	}
	if err := crds.Write(root, crds.Sources(), files); err != nil {
		return err
	}
	return crds.Report(os.Stdout, files)
}
