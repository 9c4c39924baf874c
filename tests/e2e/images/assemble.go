package images

import (
	"context"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"gitops-runtime/tests/e2e/images/ocilayer"
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
	image, err := ocilayer.Image(r.recipe.config, append(parts, ocilayer.FromEntries(files))...)
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
