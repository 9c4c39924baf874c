package helmchart

import (
	"context"
	"fmt"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/budget"
)

// pull reads a chart from a registry.
func pull(ctx context.Context, left *budget.Budget, from Registry, reference string) (*chart.Chart, error) {
	archive, place, err := from.Chart(ctx, reference, "")
	if err != nil {
		return nil, err
	}
	loaded, err := loadArchive(ctx, left, archive)
	if err != nil {
		return nil, fmt.Errorf("chart %s cannot be read: %w", place, err)
	}
	return loaded, requireDependencies(reference, loaded)
}
