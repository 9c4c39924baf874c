package images

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/tests/e2e/images/debian"
	"gitops-runtime/tests/e2e/images/gobuild"
	"gitops-runtime/tests/e2e/images/reach"
	"gitops-runtime/tests/e2e/images/store"
	"gitops-runtime/tests/pins"
)

// Catalog is the table of images with their cache and the means to get them. Create one with New.
type Catalog struct {
	// FromSource disables registries: nothing is pulled.
	FromSource bool

	rows      []row
	store     store.Store
	tools     gobuild.Toolchain
	commands  debian.Commands
	probe     *reach.Prober
	transport http.RoundTripper

	mu   sync.Mutex
	keys map[string]string // of programs, recipes and the Debian layer, by name
}

// New returns the catalog for the checkout at root (the folder of the product's go.mod), with results stored below the folder cache, which outlives
// checkouts.
func New(root, cache string) (*Catalog, error) {
	version, err := pins.AppVersion(filepath.Join(root, "charts", "gitops-runtime"))
	if err != nil {
		return nil, fmt.Errorf("images: the version of this project's own: %w", err)
	}
	product, err := address.Read(root)
	if err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	return &Catalog{
		rows:      table(product.Images(), version),
		store:     store.Store{Dir: filepath.Join(cache, "images")},
		tools:     gobuild.Toolchain{Root: root, Cache: filepath.Join(cache, "sources")},
		commands:  debian.Machine(),
		probe:     reach.New(http.DefaultTransport, reach.Limit),
		transport: http.DefaultTransport,
		keys:      map[string]string{},
	}, nil
}

// ForMode returns the names of the images that an install in the mode needs, including those of the test platform.
func (c *Catalog) ForMode(mode Mode) ([]string, error) {
	if !slices.Contains(everyMode, mode) {
		return nil, fmt.Errorf("images: there is no mode %q; the modes are %s", mode, joined(everyMode))
	}
	var names []string
	for _, row := range c.rows {
		if row.neededIn(mode) {
			names = append(names, row.name)
		}
	}
	return names, nil
}

// All returns the names of all images except those that can only be pulled, which are not available on every machine.
func (c *Catalog) All() []string {
	var names []string
	for _, row := range c.rows {
		if row.recipe.origin != Pulled {
			names = append(names, row.name)
		}
	}
	return names
}

// Images returns the origins of the available images, in the order of the arguments. Images that are not available are an error; see Ensure.
func (c *Catalog) Images(ctx context.Context, names []string) ([]Image, error) {
	rows, err := c.find(names)
	if err != nil {
		return nil, err
	}
	images := make([]Image, 0, len(rows))
	for _, row := range rows {
		at, err := c.lookup(ctx, row)
		if err != nil {
			return nil, err
		}
		if !at.available {
			return nil, notAvailable(row)
		}
		images = append(images, at.image)
	}
	return images, nil
}

func notAvailable(missing row) error {
	return fmt.Errorf("images: %s is not in the cache yet: run `make install`", missing.name)
}

// find returns the rows of references in short or full form: each row once, in the order of the catalog. One error reports all unknown references.
func (c *Catalog) find(names []string) ([]row, error) {
	wanted := map[string]bool{}
	var unknown []string
	for _, each := range names {
		full, err := normal(each)
		if err != nil {
			return nil, fmt.Errorf("images: %q is not an image reference: %w", each, err)
		}
		wanted[full] = true
		if !slices.ContainsFunc(c.rows, func(r row) bool { return r.is(full) }) {
			unknown = append(unknown, each)
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("images: the catalog has no row for %s: add one in tests/e2e/images/table.go that says how it is obtained",
			strings.Join(unknown, ", "))
	}
	var rows []row
	for _, row := range c.rows {
		if full, err := normal(row.name); err == nil && wanted[full] {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (r row) is(full string) bool {
	own, err := normal(r.name)
	return err == nil && own == full
}

// normal returns a reference in its full form, so that nats:2 and docker.io/library/nats:2 are equal.
func normal(reference string) (string, error) {
	parsed, err := name.ParseReference(reference)
	if err != nil {
		return "", err
	}
	return parsed.Name(), nil
}

func joined(modes []Mode) string {
	words := make([]string, len(modes))
	for i, mode := range modes {
		words[i] = string(mode)
	}
	return strings.Join(words, ", ")
}
