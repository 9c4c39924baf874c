package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/registry"
	"gitops-runtime/imageoverride/registry/fault"
)

// Locked is an image with the digests it had when it was looked at.
type Locked struct {
	Source string `json:"source"`
	Target string `json:"target"`
	// Digest is that of the manifest list, or of the image if it has no list.
	Digest string `json:"digest"`
	// Platforms are the digests by platform, for instance "linux/arm64".
	Platforms map[string]string `json:"platforms,omitempty"`
}

// Lock looks all sources up.
func Lock(ctx context.Context, access registry.Access, pairs []mapping.Pair, jobs int) ([]Locked, error) {
	asked, err := open(access)
	if err != nil {
		return nil, err
	}
	locked := make([]Locked, len(pairs))
	err = each(ctx, pairs, jobs, func(ctx context.Context, i int) error {
		one, err := asked.lock(ctx, pairs[i].Source)
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
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("lock file cannot be written: %w", err)
	}
	return nil
}

// ReadLock reads a lock file.
func ReadLock(path string) ([]Locked, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--lock %s: %s; `image-override lock` writes it", path, fault.File(err))
	}
	var locked []Locked
	err = json.Unmarshal(data, &locked)
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		err = errors.New("it is no list of images with digests")
	}
	if err != nil {
		return nil, fmt.Errorf("--lock %s is not a lock file: %w; `image-override lock` writes one", path, err)
	}
	return locked, nil
}
