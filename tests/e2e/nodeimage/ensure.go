package nodeimage

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/internal/progress"
)

// Reach returns nil if a registry responds, otherwise the reason, as package reach does.
type Reach func(ctx context.Context, host string) error

// Ensure makes sure that the engine has a node image and returns its name: Published if it is set, otherwise an image that the engine has, upstream's
// if Docker Hub responds, or one that the builder builds. Unless Published is set, machines whose containers lack CAP_SYS_RESOURCE always use a
// built image, because upstream's requests more than they can grant.
func (b Builder) Ensure(ctx context.Context, engine *docker.Engine, reach Reach) (string, error) {
	limited, err := docker.LacksSysResource()
	if err != nil {
		return "", err
	}
	return b.ensure(ctx, engine, reach, limited)
}

func (b Builder) ensure(ctx context.Context, engine *docker.Engine, reach Reach, limited bool) (string, error) {
	if b.Published != "" {
		return b.Published, b.published(ctx, engine)
	}
	built, err := b.Image()
	if err != nil {
		return "", err
	}
	wanted := []string{built}
	if !limited {
		wanted = append(wanted, Upstream)
	}
	for _, image := range wanted {
		if has, err := engine.Has(ctx, image); err != nil || has {
			return image, err
		}
	}
	if !limited && reach(ctx, "registry-1.docker.io") == nil && b.pull(ctx, engine, Upstream) == nil {
		return Upstream, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := b.load(ctx, engine, built); err != nil {
		return "", fmt.Errorf("build the node image: %w", err)
	}
	return built, nil
}

// published pulls the image Published unless the engine has it.
func (b Builder) published(ctx context.Context, engine *docker.Engine) error {
	if has, err := engine.Has(ctx, b.Published); err != nil || has {
		return err
	}
	if err := b.pull(ctx, engine, b.Published); err != nil {
		return fmt.Errorf("the node image %s: %w; name one that can be pulled, or none", b.Published, err)
	}
	return nil
}

func (b Builder) pull(ctx context.Context, engine *docker.Engine, image string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return progress.Step(b.Observer, "pull "+image, func() error {
		_, err := engine.Run(ctx, "pull", "--quiet", image)
		return err
	})
}

func (b Builder) load(ctx context.Context, engine *docker.Engine, built string) error {
	path, err := b.Archive(ctx)
	if err != nil {
		return err
	}
	return progress.Step(b.Observer, "load the node image", func() error {
		image, err := os.Open(path)
		if err != nil {
			return err
		}
		defer image.Close()
		if err := engine.Load(ctx, image); err != nil {
			return err
		}
		return forget(ctx, engine, built)
	})
}

// forget removes the images built earlier, except those that a cluster still uses, which the engine refuses to remove.
func forget(ctx context.Context, engine *docker.Engine, built string) error {
	images, err := engine.Run(ctx, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", repository)
	if err != nil {
		return err
	}
	for image := range strings.FieldsSeq(images) {
		if image != built {
			_, _ = engine.Run(ctx, "image", "rm", image) // it is in use or already removed
		}
	}
	return nil
}
