package helmchart

import (
	"context"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/budget"
)

// scheme is the prefix of references to charts in registries.
const scheme = "oci://"

// InRegistry reports whether a name refers to a chart in a registry.
func InRegistry(name string) bool { return strings.HasPrefix(name, scheme) }

// Registry pulls packaged charts.
type Registry interface {
	// Chart pulls oci://host/path:version, or oci://host/path in the given version or, if that is empty, in the newest release. The place is the exact
	// reference that was pulled.
	Chart(ctx context.Context, reference, version string) (archive []byte, place string, err error)
}

// pull reads a chart from a registry.
func pull(ctx context.Context, left *budget.Budget, from Source) (*chart.Chart, error) {
	if from.Registry == nil {
		return nil, fmt.Errorf("chart %s: this program does not pull charts; fetch it with `helm pull` first", from.Name)
	}
	archive, place, err := from.Registry.Chart(ctx, from.Name, from.Version)
	if err != nil {
		return nil, err
	}
	loaded, err := loadArchive(ctx, left, archive)
	if err != nil {
		return nil, fmt.Errorf("chart %s cannot be read: %w", place, err)
	}
	return loaded, requireDependencies(from.Name, loaded)
}
