package chartsource

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"gitops-runtime/imageoverride/fault"
)

const (
	ociScheme = "oci://"
	// chartLayer is the media type under which Helm stores chart archives.
	chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	// pullTimeout bounds the download of one chart.
	pullTimeout = 2 * time.Minute
)

// pull reads a chart from a registry; the reference is "oci://host/path:version".
// Credentials are those of the Docker configuration.
func pull(ctx context.Context, reference string) (*chart.Chart, error) {
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	parsed, err := name.ParseReference(strings.TrimPrefix(reference, ociScheme), name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("chart %s: write oci://host/path:version: %w", reference, err)
	}
	image, err := remote.Image(parsed, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return nil, fault.Explain("pull chart", strings.TrimPrefix(reference, ociScheme), err)
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, fault.Explain("pull chart", strings.TrimPrefix(reference, ociScheme), err)
	}
	for _, layer := range layers {
		if kind, err := layer.MediaType(); err != nil || string(kind) != chartLayer {
			continue
		}
		archive, err := layer.Compressed()
		if err != nil {
			return nil, fault.Explain("pull chart", strings.TrimPrefix(reference, ociScheme), err)
		}
		loaded, err := loader.LoadArchive(archive)
		_ = archive.Close()
		if err != nil {
			return nil, fmt.Errorf("chart %s cannot be read: %w", reference, err)
		}
		return loaded, requireDependencies(reference, loaded)
	}
	return nil, fmt.Errorf("%s is not a chart: it has no layer of type %s", reference, chartLayer)
}
