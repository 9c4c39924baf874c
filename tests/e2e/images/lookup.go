package images

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"

	"gitops-runtime/tests/e2e/images/store"
)

// found is the key under which an image is, or would be, stored.
type found struct {
	key       string
	available bool
	image     Image
}

// lookup reports whether the row's image is available: pulled, or built from exactly the inputs of its current recipe.
func (c *Catalog) lookup(ctx context.Context, r row) (found, error) {
	pulled, err := pulledKey(r)
	if err != nil {
		return found{}, err
	}
	if !r.neverPull && !c.FromSource && c.store.Has(pulled) {
		return found{key: pulled, available: true, image: Image{Name: r.name, Origin: Pulled}}, nil
	}
	key, err := c.recipeKey(ctx, r)
	if err != nil {
		return found{}, fmt.Errorf("images: %s: %w", r.name, err)
	}
	built := Image{Name: r.name, Origin: r.recipe.origin, Note: r.recipe.note}
	return found{key: key, available: c.store.Has(key), image: built}, nil
}

func pulledKey(r row) (string, error) {
	return store.Key("pulled-"+label(r.name), r.name, runtime.GOARCH)
}

// recipeKey identifies all inputs of the recipe.
func (c *Catalog) recipeKey(ctx context.Context, r row) (string, error) {
	return c.remember("image "+r.name, func() (string, error) {
		var parts []string
		if r.recipe.debian {
			key, err := c.debianKey(ctx)
			if err != nil {
				return "", err
			}
			parts = append(parts, key)
		}
		for _, one := range r.recipe.programs {
			key, err := c.programKey(ctx, one)
			if err != nil {
				return "", err
			}
			parts = append(parts, key)
		}
		return store.Key("image-"+label(r.name), parts, r.recipe.zones, r.recipe.files, r.recipe.config)
	})
}

// programKey returns the key of a layer with one program at its path.
func (c *Catalog) programKey(ctx context.Context, one placed) (string, error) {
	key, err := c.remember("program "+identity(one.program), func() (string, error) { return c.tools.Key(ctx, one.program) })
	if err != nil {
		return "", err
	}
	return store.Key("layer-"+one.program.Name, key, one.path)
}

// debianKey returns the key of the shared layer of Debian packages. Updates within a Debian release do not change it: delete the layer's folder to
// get them.
func (c *Catalog) debianKey(ctx context.Context) (string, error) {
	return c.remember("debian", func() (string, error) {
		sources, err := c.commands.Sources(ctx)
		if err != nil {
			return "", err
		}
		return debianBase.Key(sources)
	})
}

// remember caches the keys that compute returns. Keys depend on each other, so compute runs without the lock; computing a key twice is harmless.
func (c *Catalog) remember(what string, compute func() (string, error)) (string, error) {
	c.mu.Lock()
	key, known := c.keys[what]
	c.mu.Unlock()
	if known {
		return key, nil
	}
	key, err := compute()
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys[what] = key
	return key, nil
}

var unfitForNames = regexp.MustCompile(`[^a-zA-Z0-9.-]+`)

// label converts a reference to a valid folder name.
func label(reference string) string { return unfitForNames.ReplaceAllString(reference, "-") }

func identity(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("a program of the catalog has no JSON form: %v", err))
	}
	return string(text)
}
