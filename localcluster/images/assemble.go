package images

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"gitops-runtime/localcluster/images/ocilayer"
)

// assemble stores the row's image, composed of stored layers.
func (c *Catalog) assemble(ctx context.Context, r row) error {
	key, err := c.recipeKey(ctx, r)
	if err != nil {
		return err
	}
	parts, err := c.storedLayers(ctx, r.recipe)
	if err != nil {
		return err
	}
	files := slices.Clone(r.recipe.files)
	if r.recipe.zones {
		zones, err := c.tools.ZoneInfo(ctx)
		if err != nil {
			return err
		}
		files = append(files, ocilayer.Entry{Path: zonesPath, HostFile: zones})
	}
	image, err := compose(append(parts, ocilayer.FromEntries(files)), r.recipe.config)
	if err != nil {
		return err
	}
	_, err = c.store.Put(key, image)
	return err
}

// storedLayers returns the recipe's layers below its files.
func (c *Catalog) storedLayers(ctx context.Context, of recipe) ([]v1.Layer, error) {
	var keys []string
	if of.debian {
		key, err := c.debianKey(ctx)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	for _, one := range of.programs {
		key, err := c.programKey(ctx, one)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	var all []v1.Layer
	for _, key := range keys {
		part, err := c.store.Get(key)
		if err != nil {
			return nil, err
		}
		some, err := part.Layers()
		if err != nil {
			return nil, fmt.Errorf("image cache: %s: %w", key, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// compose returns an image of the layers for Linux on this machine's architecture.
func compose(parts []v1.Layer, config v1.Config) (v1.Image, error) {
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: runtime.GOARCH,
		OS:           "linux",
		Created:      v1.Time{Time: ocilayer.Epoch},
		Config:       config,
		RootFS:       v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{}},
	})
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(image, parts...)
}
