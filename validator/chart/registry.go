package chart

import (
	"context"
	"fmt"

	"gitops-runtime/imageoverride/registry"
	"gitops-runtime/internal/budget"
)

// Pull reads a chart from a registry: oci://host/path:version, or without the
// version when that is given beside it. Without any the newest release is taken.
func Pull(ctx context.Context, from registry.Access, reference, version string) (*Chart, error) {
	archive, place, err := from.Chart(ctx, reference, version)
	if err != nil {
		return nil, err
	}
	left := budget.New(budget.Default())
	files, err := untar(ctx, left, archive)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", reference, err)
	}
	return read(ctx, left, source{files: files, place: place})
}
