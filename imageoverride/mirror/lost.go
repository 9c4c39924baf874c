package mirror

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// lost returns which manifest or blob below a digest a repository does not have, "" if all exist. Blobs are checked by HEAD requests.
func (c client) lost(ctx context.Context, reference name.Reference, digest string) (string, error) {
	found, err := remote.Get(reference.Context().Digest(digest), c.Options(ctx)...)
	if absent(err) {
		return "manifest " + digest + " is missing", nil
	}
	if err != nil {
		return "", err
	}
	switch {
	case found.MediaType.IsIndex():
		index, err := found.ImageIndex()
		if err != nil {
			return "", err
		}
		manifest, err := index.IndexManifest()
		if err != nil {
			return "", err
		}
		for _, child := range manifest.Manifests {
			if lost, err := c.lost(ctx, reference, child.Digest.String()); err != nil || lost != "" {
				return lost, err
			}
		}
	case found.MediaType.IsImage():
		image, err := found.Image()
		if err != nil {
			return "", err
		}
		manifest, err := image.Manifest()
		if err != nil {
			return "", err
		}
		for _, blob := range append([]v1.Descriptor{manifest.Config}, manifest.Layers...) {
			if !blob.MediaType.IsDistributable() {
				continue // non-distributable layers are pulled from external URLs
			}
			layer, err := remote.Layer(reference.Context().Digest(blob.Digest.String()), c.Options(ctx)...)
			if err != nil {
				return "", err
			}
			if exists, err := partial.Exists(layer); err != nil || !exists {
				return fmt.Sprintf("blob %s of manifest %s is missing", blob.Digest, digest), unless(absent(err), err)
			}
		}
	}
	return "", nil
}

func unless(known bool, err error) error {
	if known {
		return nil
	}
	return err
}
