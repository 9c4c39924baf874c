package mirror

import (
	"context"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// unreadable reads every blob below a manifest, whose client compares each with its digest, and returns what is wrong; "" if nothing is. Blobs that were
// read are in seen.
func (c client) unreadable(ctx context.Context, target name.Reference, digest string, seen map[string]bool) string {
	found, err := remote.Get(target.Context().Digest(digest), c.Options(ctx)...)
	if err != nil {
		return fmt.Sprintf("manifest %s cannot be read: %v", digest, err)
	}
	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		if err != nil {
			return err.Error()
		}
		manifest, err := index.IndexManifest()
		if err != nil {
			return err.Error()
		}
		for _, child := range manifest.Manifests {
			if problem := c.unreadable(ctx, target, child.Digest.String(), seen); problem != "" {
				return problem
			}
		}
		return ""
	}
	image, err := found.Image()
	if err != nil {
		return err.Error()
	}
	manifest, err := image.Manifest()
	if err != nil {
		return err.Error()
	}
	for _, blob := range append([]v1.Descriptor{manifest.Config}, manifest.Layers...) {
		if seen[blob.Digest.String()] || len(blob.URLs) > 0 {
			continue
		}
		seen[blob.Digest.String()] = true
		if err := c.readBlob(ctx, target, blob.Digest); err != nil {
			return fmt.Sprintf("blob %s is damaged or cannot be read; delete it at the registry and run mirror again: %v", blob.Digest, err)
		}
	}
	return ""
}

func (c client) readBlob(ctx context.Context, target name.Reference, digest v1.Hash) error {
	layer, err := remote.Layer(target.Context().Digest(digest.String()), c.Options(ctx)...)
	if err != nil {
		return err
	}
	content, err := layer.Compressed()
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, content)
	if closed := content.Close(); err == nil {
		err = closed
	}
	return err
}
