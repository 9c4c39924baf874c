package image

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// WriteArchive writes the image of one architecture to a file that `docker load` and `podman load` read, with the given name.
func (m Made) WriteArchive(file string, program Program, architecture, version string) (string, error) {
	tag, err := name.NewTag(program.Name + ":" + version)
	if err != nil {
		return "", fmt.Errorf("name of the image: %w", err)
	}
	image, err := m.image(architecture)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", tag, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	if err := tarball.WriteToFile(file, tag, image); err != nil {
		return "", fmt.Errorf("write image %s to %s: %w", tag, file, err)
	}
	return tag.String(), nil
}

// image returns the image of one architecture.
func (m Made) image(architecture string) (v1.Image, error) {
	index, err := m.Index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, each := range index.Manifests {
		if each.Platform != nil && each.Platform.Architecture == architecture {
			return m.Index.Image(each.Digest)
		}
	}
	return nil, fmt.Errorf("it is not built for the architecture %s", architecture)
}
