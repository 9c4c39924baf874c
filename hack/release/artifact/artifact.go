// Package artifact creates what a registry stores: images, charts, and the signed statements that refer to them. The same input produces the same bytes.
package artifact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// blob is content with its media type.
type blob struct {
	content []byte
	kind    types.MediaType
	// annotations are the annotations of its descriptor.
	annotations map[string]string
}

func (b blob) descriptor() (v1.Descriptor, error) {
	digest, size, err := v1.SHA256(bytes.NewReader(b.content))
	return v1.Descriptor{MediaType: b.kind, Digest: digest, Size: size, Annotations: b.annotations}, err
}

// manifest is an artifact with a configuration and layers, from which package partial makes the image that registry clients push.
type manifest struct {
	config blob
	layers []blob
	raw    []byte
}

// document is an OCI manifest with the field artifactType, which v1.Manifest lacks.
// https://github.com/opencontainers/image-spec/blob/v1.1.1/manifest.md
type document struct {
	v1.Manifest
	ArtifactType string `json:"artifactType,omitempty"`
}

func newManifest(config blob, layers []blob, artifactType string, subject *v1.Descriptor, annotations map[string]string) (v1.Image, error) {
	configured, err := config.descriptor()
	if err != nil {
		return nil, err
	}
	layered := make([]v1.Descriptor, len(layers))
	for i, layer := range layers {
		if layered[i], err = layer.descriptor(); err != nil {
			return nil, err
		}
	}
	raw, err := json.Marshal(document{ArtifactType: artifactType, Manifest: v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: configured, Layers: layered, Subject: subject, Annotations: annotations,
	}})
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return partial.CompressedToImage(&manifest{config: config, layers: layers, raw: raw})
}

// MediaType returns the media type of OCI manifests.
func (m *manifest) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }

// RawConfigFile returns the configuration.
func (m *manifest) RawConfigFile() ([]byte, error) { return m.config.content, nil }

// RawManifest returns the bytes of the manifest.
func (m *manifest) RawManifest() ([]byte, error) { return m.raw, nil }

// LayerByDigest returns the layer, or the configuration, with a digest.
func (m *manifest) LayerByDigest(digest v1.Hash) (partial.CompressedLayer, error) {
	for _, one := range append([]blob{m.config}, m.layers...) {
		if described, err := one.descriptor(); err == nil && described.Digest == digest {
			return static.NewLayer(one.content, one.kind), nil
		}
	}
	return nil, fmt.Errorf("no layer %s", digest)
}

// read returns the content of a layer of at most limit bytes, and verifies its digest.
func read(layer v1.Layer, limit int64) ([]byte, error) {
	packed, err := layer.Compressed()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(packed, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("it has more than %d MiB", limit>>20)
	}
	return content, errors.Join(err, packed.Close())
}
