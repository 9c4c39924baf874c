package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/registry"
)

// Locked is an image with its digests at the time of Lock.
type Locked struct {
	Source string `json:"source"`
	Target string `json:"target"`
	// Digest is that of the manifest list, or of the image if there is no list.
	Digest string `json:"digest"`
	// Platforms are the digests by platform, for instance "linux/arm64".
	Platforms map[string]string `json:"platforms,omitempty"`
	// Referrers are the digests of signatures, SBOMs and other referrers, if requested.
	Referrers []string `json:"referrers,omitempty"`
}

// Lock reads the digests of all sources, at most jobs in parallel.
func Lock(ctx context.Context, access registry.Access, pairs []mapping.Pair, jobs int, referrers bool) ([]Locked, error) {
	registries, err := open(access)
	if err != nil {
		return nil, err
	}
	locked := make([]Locked, len(pairs))
	err = each(ctx, pairs, jobs, func(ctx context.Context, i int) error {
		one, err := registries.lock(ctx, pairs[i].Source)
		if err == nil && referrers {
			one.Referrers, err = registries.referrers(ctx, pairs[i].Source, one)
		}
		one.Source, one.Target = pairs[i].Source, pairs[i].Target
		locked[i] = one
		return err
	})
	if err != nil {
		return nil, err
	}
	return locked, nil
}

func (c client) lock(ctx context.Context, image string) (Locked, error) {
	reference, err := c.Reference(image)
	if err != nil {
		return Locked{}, err
	}
	found, err := remote.Get(reference, c.Options(ctx)...)
	if err != nil {
		return Locked{}, explain("read", image, err)
	}
	locked := Locked{Digest: found.Digest.String()}
	if !found.MediaType.IsIndex() {
		return locked, nil
	}
	index, err := found.ImageIndex()
	if err != nil {
		return Locked{}, explain("read", image, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return Locked{}, explain("read", image, err)
	}
	locked.Platforms = map[string]string{}
	for _, child := range manifest.Manifests {
		locked.Platforms[platform(child)] = child.Digest.String()
	}
	return locked, nil
}

// WriteLock writes a lock file.
func WriteLock(path string, locked []Locked) error {
	data, err := json.MarshalIndent(locked, "", "  ")
	if err != nil {
		return fmt.Errorf("lock file %s: %w", path, err)
	}
	if err := outfile.Write(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("lock file %w", err)
	}
	return nil
}

// ReadLock reads a lock file.
func ReadLock(path string) ([]Locked, error) {
	data, err := outfile.Read(path, 64<<20)
	if err != nil {
		return nil, fmt.Errorf("--lock %s: %s; `image-override lock` writes it", path, outfile.Reason(err))
	}
	var locked []Locked
	err = json.Unmarshal(data, &locked)
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		err = errors.New("it is not a list of images with digests")
	}
	if err != nil {
		return nil, fmt.Errorf("--lock %s is not a lock file: %w; `image-override lock` writes one", path, err)
	}
	for i, one := range locked {
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("--lock %s is not a lock file: entry %d: %w; `image-override lock` writes one", path, i+1, err)
		}
	}
	return locked, nil
}

// check validates an entry of a lock file.
func (l Locked) check() error {
	for _, text := range []string{l.Source, l.Target} {
		if _, err := mapping.Parse(text); err != nil {
			return err
		}
	}
	digests := append([]string{l.Digest}, l.Referrers...)
	for _, digest := range l.Platforms {
		digests = append(digests, digest)
	}
	for _, digest := range digests {
		if err := checkDigest(digest); err != nil {
			return err
		}
	}
	return nil
}

// checkDigest returns an error if a text is not a digest.
func checkDigest(text string) error {
	if _, err := v1.NewHash(text); err != nil || !strings.HasPrefix(text, "sha") {
		return fmt.Errorf("%q is not a digest; one is sha256: and 64 hexadecimal digits", text)
	}
	return nil
}
