package mirror

import (
	"context"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/sync/errgroup"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/registry"
)

// image copies the blobs of the image of one platform: layers and configuration.
func (c *copying) image(ctx context.Context, pair mapping.Pair, target name.Reference, image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	config, err := partial.ConfigLayer(image)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(blobsPerImage)
	for _, blob := range append(layers, config) {
		group.Go(func() error { return c.blob(ctx, pair, target, blob) })
	}
	return group.Wait()
}

// blob copies one blob, or has the registry mount it from a repository that already has it. Images that share the blob wait for each other. The journal
// records the blob before it is sent, since a run that is killed cannot record afterwards whether the registry has it: the next run asks the registry.
func (c *copying) blob(ctx context.Context, pair mapping.Pair, target name.Reference, blob v1.Layer) error {
	hash, err := blob.Digest()
	if err != nil {
		return err
	}
	digest := hash.String()
	lock := c.lock(digest)
	if !lock.TryLock() {
		registry.Idle(ctx, lock.Lock)
	}
	defer lock.Unlock()
	if home, ok := c.journal.homeOf(digest); ok {
		from, err := c.client.Reference(home)
		if err != nil {
			return err
		}
		if from.Context().Registry == target.Context().Registry {
			blob = &remote.MountableLayer{Layer: blob, Reference: from}
		}
	} else if err := c.journal.add(entry{Target: pair.Target, Blob: digest, Begun: true}); err != nil {
		return err
	}
	if err := c.again(ctx, func() error { return c.upload(ctx, target, blob) }); err != nil {
		return err
	}
	return c.journal.add(entry{Target: pair.Target, Blob: digest})
}

// upload sends a blob with a new pusher, since a pusher would return the result
// of an earlier attempt again.
func (c *copying) upload(ctx context.Context, target name.Reference, blob v1.Layer) error {
	return remote.WriteLayer(target.Context(), blob, c.client.Options(ctx)...)
}

func (c *copying) lock(digest string) *sync.Mutex {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[digest] == nil {
		c.busy[digest] = &sync.Mutex{}
	}
	return c.busy[digest]
}
