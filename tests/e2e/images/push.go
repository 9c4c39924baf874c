package images

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/tests/e2e/internal/progress"
)

// Pair is the name of an image and its name in the private registry.
type Pair struct {
	// Source is the reference in the catalog.
	Source string
	// Target is the reference that clusters pull, registry host included.
	Target string
}

// Push pushes cached images to a private registry, over plain HTTP. The registry's name in the targets is its name in the cluster; registryOnHost
// (host:port) is its address on this machine. Existing images and layers are not sent again.
func (c *Catalog) Push(ctx context.Context, pairs []Pair, registryOnHost string, observer progress.Observer) error {
	return progress.Step(observer, fmt.Sprintf("images: push %d to the registry at %s", len(pairs), registryOnHost), func() error {
		for _, pair := range pairs {
			if err := c.pushOne(ctx, pair, registryOnHost); err != nil {
				return fmt.Errorf("images: push %s to %s as %s: %w", pair.Source, registryOnHost, pair.Target, err)
			}
		}
		return nil
	})
}

func (c *Catalog) pushOne(ctx context.Context, pair Pair, registryOnHost string) error {
	_, path, ok := strings.Cut(pair.Target, "/")
	if !ok {
		return fmt.Errorf("the target %q names no registry: give host:port/name:tag", pair.Target)
	}
	target, err := name.NewTag(registryOnHost+"/"+path, name.Insecure)
	if err != nil {
		return err
	}
	image, err := c.cached(ctx, pair.Source)
	if err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithTransport(c.transport)}
	if there, err := remote.Head(target, options...); err == nil && there.Digest == digest {
		return nil
	}
	return remote.Write(target, image, options...)
}

// Digest returns the digest of an available image, which its targets have after Push, too.
func (c *Catalog) Digest(ctx context.Context, reference string) (string, error) {
	image, err := c.cached(ctx, reference)
	if err != nil {
		return "", err
	}
	digest, err := image.Digest()
	if err != nil {
		return "", fmt.Errorf("images: digest of %s: %w", reference, err)
	}
	return digest.String(), nil
}

// cached returns the available image for a reference.
func (c *Catalog) cached(ctx context.Context, reference string) (v1.Image, error) {
	rows, err := c.find([]string{reference})
	if err != nil {
		return nil, err
	}
	at, err := c.lookup(ctx, rows[0])
	if err != nil {
		return nil, err
	}
	if !at.available {
		return nil, notAvailable(rows[0])
	}
	return c.store.Get(at.key)
}
