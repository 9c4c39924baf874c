package images

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/sync/errgroup"

	"gitops-runtime/tests/e2e/internal/progress"
)

// pullsAtOnce is the maximum number of concurrent downloads.
const pullsAtOnce = 3

// keepUnused is how long the cache keeps unused images.
const keepUnused = 30 * 24 * time.Hour

// Ensure makes all images available, and returns the origin of each, in the order of the catalog. Cached images are not changed; the others are pulled
// if their registry responds, and built otherwise. A failed run keeps what it finished. The observer, which may be nil, is notified of each step.
func (c *Catalog) Ensure(ctx context.Context, names []string, observer progress.Observer) ([]Image, error) {
	rows, err := c.find(names)
	if err != nil {
		return nil, err
	}
	if images, err := c.Images(ctx, names); err == nil {
		return images, progress.Step(observer, fmt.Sprintf("images: %d cached", len(images)), func() error { return nil })
	}
	unlock, err := c.store.Lock(ctx, func() {
		_ = progress.Step(observer, "images: waiting for another run that builds images", func() error { return nil })
	})
	if err != nil {
		return nil, err
	}
	defer unlock()
	missing, err := c.missing(ctx, rows)
	if err != nil {
		return nil, err
	}
	missing, err = c.pullAll(ctx, missing, observer)
	if err != nil {
		return nil, err
	}
	if err := c.buildAll(ctx, missing, observer); err != nil {
		return nil, err
	}
	if err := c.store.Prune(time.Now().Add(-keepUnused)); err != nil {
		return nil, err
	}
	return c.Images(ctx, names)
}

func (c *Catalog) missing(ctx context.Context, rows []row) ([]row, error) {
	var missing []row
	for _, row := range rows {
		at, err := c.lookup(ctx, row)
		if err != nil {
			return nil, err
		}
		if !at.available {
			missing = append(missing, row)
		}
	}
	return missing, nil
}

// pullAll pulls the available images and returns the rows that are still missing.
func (c *Catalog) pullAll(ctx context.Context, rows []row, observer progress.Observer) ([]row, error) {
	pulled := make([]bool, len(rows))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pullsAtOnce)
	for i, row := range rows {
		if row.neverPull || c.FromSource {
			continue
		}
		group.Go(func() error {
			var err error
			pulled[i], err = c.pull(ctx, row, observer)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var missing []row
	for i, row := range rows {
		if !pulled[i] {
			missing = append(missing, row)
		}
	}
	return missing, nil
}

// pull downloads one image and reports whether it did. A registry that does not respond, or rejects the request, is not an error: the image is then
// built.
func (c *Catalog) pull(ctx context.Context, r row, observer progress.Observer) (bool, error) {
	reference, err := name.ParseReference(r.name)
	if err != nil {
		return false, fmt.Errorf("images: %s: %w", r.name, err)
	}
	if c.probe.Host(ctx, reference.Context().RegistryStr()) != nil {
		return false, ctx.Err()
	}
	key, err := pulledKey(r)
	if err != nil {
		return false, err
	}
	refused := progress.Step(observer, "images: pull "+r.name, func() error {
		image, err := remote.Image(reference, remote.WithContext(ctx), remote.WithTransport(c.transport),
			remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
		if err != nil {
			return err
		}
		_, err = c.store.Put(key, image)
		return err
	})
	return refused == nil, ctx.Err()
}
