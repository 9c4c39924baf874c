package helmchart

import (
	"context"
	"fmt"
	"strings"

	"gitops-runtime/internal/budget"
)

// scheme begins the reference of a chart in a registry.
const scheme = "oci://"

// InRegistry tells whether a name means a chart in a registry.
func InRegistry(name string) bool { return strings.HasPrefix(name, scheme) }

// Registry pulls packaged charts.
type Registry interface {
	// Chart pulls oci://host/path:version, or oci://host/path in the version that
	// is given beside it, without one the newest release. The place is the exact
	// reference that was pulled.
	Chart(ctx context.Context, reference, version string) (archive []byte, place string, err error)
}

// Pull reads a chart from a registry: oci://host/path:version, or without the
// version when that is given beside it. Without any the newest release is taken.
func Pull(ctx context.Context, from Registry, reference, version string) (*Chart, error) {
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
