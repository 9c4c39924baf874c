package images

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"golang.org/x/sync/errgroup"

	"gitops-runtime/tests/e2e/images/ocilayer"
	"gitops-runtime/tests/e2e/internal/progress"
)

// work is a program whose layer is not in the store.
type work struct {
	placed
	key string
}

// buildAll builds the images of the rows. One program is compiled at a time, since one compilation uses all CPUs; meanwhile the modules of the next one
// and Debian's packages are downloaded.
func (c *Catalog) buildAll(ctx context.Context, rows []row, observer progress.Observer) error {
	for _, row := range rows {
		if row.recipe.origin == Pulled {
			return fmt.Errorf("images: %s can only be pulled, and that failed: see that this machine reaches its registry, or do without the image", row.name)
		}
	}
	programs, debian, err := c.partsOf(ctx, rows)
	if err != nil {
		return err
	}
	group, inGroup := errgroup.WithContext(ctx)
	if debian {
		group.Go(func() error { return c.makeDebian(inGroup, observer) })
	}
	fetched := make(chan work, len(programs))
	group.Go(func() error {
		defer close(fetched)
		for _, one := range programs {
			if err := c.fetch(inGroup, one, observer); err != nil {
				return err
			}
			fetched <- one
		}
		return nil
	})
	group.Go(func() error {
		for one := range fetched {
			if err := c.compile(inGroup, one, observer); err != nil {
				return err
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return fmt.Errorf("images: %w", err)
	}
	for _, row := range rows {
		if err := c.assemble(ctx, row); err != nil {
			return fmt.Errorf("images: %s: %w", row.name, err)
		}
	}
	return nil
}

// partsOf returns the programs whose layers are missing, each once, and whether the Debian layer is missing.
func (c *Catalog) partsOf(ctx context.Context, rows []row) ([]work, bool, error) {
	var programs []work
	debian := false
	seen := map[string]bool{}
	for _, row := range rows {
		for _, one := range row.recipe.programs {
			key, err := c.programKey(ctx, one)
			if err != nil {
				return nil, false, err
			}
			if !seen[key] && !c.store.Has(key) {
				programs = append(programs, work{one, key})
			}
			seen[key] = true
		}
		if row.recipe.debian {
			key, err := c.debianKey(ctx)
			if err != nil {
				return nil, false, err
			}
			debian = debian || !c.store.Has(key)
		}
	}
	return programs, debian, nil
}

func (c *Catalog) fetch(ctx context.Context, one work, observer progress.Observer) error {
	if one.program.Own {
		return nil
	}
	return progress.Step(observer, "images: modules of "+one.program.Name, func() error { return c.tools.Fetch(ctx, one.program) })
}

func (c *Catalog) compile(ctx context.Context, one work, observer progress.Observer) error {
	return progress.Step(observer, "images: build "+one.program.Name, func() error {
		dir, err := os.MkdirTemp("", "gitops-runtime-build-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		binary := filepath.Join(dir, one.program.Name)
		if err := c.tools.Build(ctx, one.program, binary); err != nil {
			return err
		}
		return c.keepLayer(one.key, ocilayer.FromEntries([]ocilayer.Entry{{Path: one.path, Mode: 0o755, HostFile: binary}}))
	})
}

func (c *Catalog) makeDebian(ctx context.Context, observer progress.Observer) error {
	key, err := c.debianKey(ctx)
	if err != nil {
		return err
	}
	sources, err := c.commands.Sources(ctx)
	if err != nil {
		return err
	}
	network, err := c.commands.Network(ctx)
	if err != nil {
		return err
	}
	prepared := func(line string) { _ = progress.Step(observer, "images: "+line, func() error { return nil }) }
	if err := c.commands.Prepare(ctx, prepared); err != nil {
		return err
	}
	return progress.Step(observer, "images: root file system of Debian packages", func() error {
		return c.keepLayer(key, ocilayer.FromTar(func(w io.Writer) error { return debianBase.Write(ctx, sources, network, w) }))
	})
}

// keepLayer stores one layer as a separate image.
func (c *Catalog) keepLayer(key string, layer v1.Layer) error {
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	_, err = c.store.Put(key, image)
	return err
}
