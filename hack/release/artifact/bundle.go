package artifact

import (
	"fmt"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// bundleKind is the media type of a Sigstore bundle: https://docs.sigstore.dev/about/bundle/
	bundleKind = "application/vnd.dev.sigstore.bundle.v0.3+json"
	// maxBundle is the maximum size of a bundle in bytes; the largest statement is the SBOM of a program.
	maxBundle = 8 << 20
	// PredicateType is the annotation by which cosign distinguishes bundles.
	PredicateType = "dev.sigstore.bundle.predicateType"
)

// Bundle returns the artifact of a signed statement that refers to a subject, as cosign 3 attaches it: WriteAttestationNewBundleFormat of
// https://github.com/sigstore/cosign/blob/v3.1.3/pkg/oci/remote/write.go
func Bundle(bundle []byte, predicateType string, subject v1.Descriptor, created time.Time) (v1.Image, error) {
	return newManifest(blob{content: []byte("{}"), kind: "application/vnd.oci.empty.v1+json"}, []blob{{content: bundle, kind: bundleKind}}, bundleKind,
		&v1.Descriptor{MediaType: subject.MediaType, Digest: subject.Digest, Size: subject.Size}, map[string]string{
			"org.opencontainers.image.created": created.UTC().Format(time.RFC3339),
			"dev.sigstore.bundle.content":      "dsse-envelope",
			PredicateType:                      predicateType,
		})
}

// ReadBundle returns the bundle of an artifact, and the type of its statement; found is false for another artifact. An error about the content
// comes with the type.
func ReadBundle(image v1.Image) (bundle []byte, predicateType string, found bool, err error) {
	described, err := image.Manifest()
	if err != nil {
		return nil, "", false, err
	}
	if len(described.Layers) != 1 || !isBundle(described.Layers[0].MediaType) {
		return nil, "", false, nil
	}
	layer, err := image.LayerByDigest(described.Layers[0].Digest)
	if err != nil {
		return nil, "", false, err
	}
	content, err := read(layer, maxBundle)
	if err != nil {
		return nil, described.Annotations[PredicateType], false, fmt.Errorf("bundle %s: %w", described.Layers[0].Digest, err)
	}
	return content, described.Annotations[PredicateType], true, nil
}

func isBundle(kind types.MediaType) bool {
	return strings.HasPrefix(string(kind), "application/vnd.dev.sigstore.bundle")
}
