package artifact

import (
	"encoding/json"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"helm.sh/helm/v3/pkg/chart"
)

// Media types of a chart: https://helm.sh/docs/topics/registries/#oci-feature-deprecation-and-behavior-changes-with-v380
const (
	chartConfig = "application/vnd.cncf.helm.config.v1+json"
	// maxChart is the maximum size of a packed chart in bytes.
	maxChart   = 32 << 20
	chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	// provenanceLayer is the media type of a provenance file: https://helm.sh/docs/topics/provenance/
	provenanceLayer = "application/vnd.cncf.helm.chart.provenance.v1.prov"
)

// Chart returns the artifact of a packed chart, as `helm push` stores it: https://helm.sh/docs/topics/registries/. provenance is the content of its provenance
// file; nil for none.
func Chart(metadata *chart.Metadata, packed, provenance []byte, annotations map[string]string) (v1.Image, error) {
	config, err := json.Marshal(metadata)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", metadata.Name, err)
	}
	// As Helm does, add the chart's annotations to the manifest: ArtifactHub reads them there.
	all := map[string]string{}
	for key, value := range metadata.Annotations {
		all[key] = value
	}
	for key, value := range annotations {
		all[key] = value
	}
	layers := []blob{{content: packed, kind: chartLayer}}
	if provenance != nil {
		layers = append(layers, blob{content: provenance, kind: provenanceLayer})
	}
	return newManifest(blob{content: config, kind: chartConfig}, layers, "", nil, all)
}

// PackedChart returns the packaged chart of an artifact; an artifact without one is an error.
func PackedChart(image v1.Image) ([]byte, error) {
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		if kind, err := layer.MediaType(); err == nil && kind == chartLayer {
			return read(layer, maxChart)
		}
	}
	return nil, fmt.Errorf("it has no layer of type %s, so it is not a chart", chartLayer)
}

// Annotations returns the annotations of every artifact: https://github.com/opencontainers/image-spec/blob/v1.1.1/annotations.md
func Annotations(title, description, version, revision, sourceURL string, created time.Time) map[string]string {
	all := map[string]string{
		"org.opencontainers.image.title":       title,
		"org.opencontainers.image.description": description,
		"org.opencontainers.image.version":     version,
		"org.opencontainers.image.revision":    revision,
		"org.opencontainers.image.created":     created.UTC().Format(time.RFC3339),
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
	if sourceURL != "" {
		all["org.opencontainers.image.source"] = sourceURL
	}
	return all
}
