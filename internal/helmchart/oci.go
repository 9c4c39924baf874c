package helmchart

import (
	"bytes"
	"context"
	"fmt"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
)

// pull reads a chart from a registry.
func pull(ctx context.Context, from Registry, reference string) (*chart.Chart, error) {
	archive, place, err := from.Chart(ctx, reference, "")
	if err != nil {
		return nil, err
	}
	loaded, err := loader.LoadArchive(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("chart %s cannot be read: %w", place, err)
	}
	return loaded, requireDependencies(reference, loaded)
}
