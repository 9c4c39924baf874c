package mirror

import (
	"context"
	"sort"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/imageoverride/mapping"
)

// cosignSuffixes are the suffixes of tags under which cosign stores signatures, attestations and SBOMs:
// https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
var cosignSuffixes = []string{"sig", "att", "sbom"}

// referring is a manifest that refers to an image, by its subject or by a tag of
// cosign.
type referring struct {
	digest string
	tag    string // empty if the registry lists it as a referrer
}

// referring returns the manifests that refer to a digest, sorted.
func (c client) referring(ctx context.Context, image name.Reference, digest string) ([]referring, error) {
	repository := image.Context()
	var all []referring
	index, err := remote.Referrers(repository.Digest(digest), c.Options(ctx)...)
	if err != nil && !absent(err) {
		return nil, err
	}
	if err == nil {
		manifest, err := index.IndexManifest()
		if err != nil {
			return nil, err
		}
		for _, one := range manifest.Manifests {
			all = append(all, referring{digest: one.Digest.String()})
		}
	}
	for _, suffix := range cosignSuffixes {
		tag := strings.Replace(digest, ":", "-", 1) + "." + suffix
		found, err := remote.Head(repository.Tag(tag), c.Options(ctx)...)
		if absent(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, referring{digest: found.Digest.String(), tag: tag})
	}
	sort.Slice(all, func(a, b int) bool { return all[a].digest+all[a].tag < all[b].digest+all[b].tag })
	return all, nil
}

// referrers returns the digests of the manifests that refer to a locked image or its platforms.
func (c client) referrers(ctx context.Context, image string, locked Locked) ([]string, error) {
	reference, err := c.Reference(image)
	if err != nil {
		return nil, err
	}
	digests := []string{locked.Digest}
	for _, digest := range locked.Platforms {
		digests = append(digests, digest)
	}
	sort.Strings(digests)
	var all []string
	for _, digest := range digests {
		found, err := c.referring(ctx, reference, digest)
		if err != nil {
			return nil, explain("read the referrers of", image, err)
		}
		for _, one := range found {
			all = append(all, one.digest)
		}
	}
	return all, nil
}

// copyReferrers copies the manifests that refer to an image or its platforms.
func (c *copying) copyReferrers(ctx context.Context, pair mapping.Pair, target, source name.Reference, found *remote.Descriptor) error {
	digests := []string{found.Digest.String()}
	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		if err != nil {
			return err
		}
		manifest, err := index.IndexManifest()
		if err != nil {
			return err
		}
		for _, child := range manifest.Manifests {
			digests = append(digests, child.Digest.String())
		}
	}
	for _, digest := range digests {
		all, err := c.client.referring(ctx, source, digest)
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := c.copyReferrer(ctx, pair, target, source, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *copying) copyReferrer(ctx context.Context, pair mapping.Pair, target, source name.Reference, one referring) error {
	var place name.Reference = target.Context().Digest(one.digest)
	if one.tag != "" {
		place = target.Context().Tag(one.tag)
	}
	if c.whole(ctx, place, one.digest) {
		return nil
	}
	found, err := c.puller.Get(ctx, source.Context().Digest(one.digest))
	if err != nil {
		return err
	}
	return c.again(ctx, func() error {
		if found.MediaType.IsImage() {
			image, err := found.Image()
			if err != nil {
				return err
			}
			if err := c.image(ctx, pair, target, image); err != nil {
				return err
			}
			return remote.Put(place, image, c.client.Options(ctx)...)
		}
		return remote.Push(place, found, c.client.Options(ctx)...)
	})
}
