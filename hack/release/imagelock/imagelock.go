// Package imagelock records the digests of the images of other projects that the charts install, in a file of the checkout: published charts name each
// image by tag and digest, and the same commit names the same content, whatever happens to a tag.
package imagelock

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/checkout"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/fault"
)

// File is the file of a checkout, below its root.
const File = "hack/release/image-lock.yaml"

// MaxAge is how old the digests of a checkout may be: images are rebuilt under the same tag, with fixes of what they are made from.
const MaxAge = 90 * 24 * time.Hour

// Lock is the content of the file.
type Lock struct {
	// Resolved is the day on which registries were asked.
	Resolved string `json:"resolved"`
	// Images are digests of manifest lists, or of the manifest of an image for one platform, by reference with a tag.
	Images map[string]string `json:"images"`
}

// Read returns the lock of a checkout; without the file, an empty one.
func Read(root string) (Lock, error) {
	var read Lock
	err := checkout.YAML(root, File, &read)
	if errors.Is(err, os.ErrNotExist) {
		return Lock{}, nil
	}
	if err != nil {
		return Lock{}, fmt.Errorf("read the digests of images: %w", err)
	}
	for image, digest := range read.Images {
		if _, err := v1.NewHash(digest); err != nil {
			return Lock{}, fmt.Errorf("%s: the digest of %s: %w", File, image, err)
		}
	}
	return read, nil
}

// Listed returns the images of other projects that the charts of a checkout install, as their Chart.yaml files list them, sorted. own begins the names of
// the product's images.
func Listed(root, own string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, file := range files {
		file, err = filepath.Rel(root, file)
		if err != nil {
			return nil, err
		}
		text, err := checkout.Text(root, file)
		if err != nil {
			return nil, fmt.Errorf("list the images of the charts: %w", err)
		}
		var chart struct{ Annotations map[string]string }
		if err := checkout.Parse(file, text, &chart); err != nil {
			return nil, err
		}
		var images []struct{ Image string }
		if err := checkout.Parse(file+", annotation artifacthub.io/images", []byte(chart.Annotations["artifacthub.io/images"]), &images); err != nil {
			return nil, err
		}
		for _, one := range images {
			if !strings.HasPrefix(one.Image, own+"/") {
				found[one.Image] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// Resolve asks the registries for the digests of images, and returns a lock of this day. It reports every image that cannot be resolved.
func Resolve(ctx context.Context, access registry.Access, images []string, now time.Time) (Lock, error) {
	client, err := access.Open()
	if err != nil {
		return Lock{}, err
	}
	digests, failed := make([]string, len(images)), make([]error, len(images))
	var group errgroup.Group
	group.SetLimit(8)
	for i, image := range images {
		group.Go(func() error {
			digests[i], failed[i] = resolve(ctx, client, image)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Lock{}, err
	}
	if err := errors.Join(failed...); err != nil {
		return Lock{}, err
	}
	lock := Lock{Resolved: now.UTC().Format(time.DateOnly), Images: map[string]string{}}
	for i, image := range images {
		lock.Images[image] = digests[i]
	}
	return lock, nil
}

func resolve(ctx context.Context, client *registry.Client, image string) (string, error) {
	reference, err := client.Reference(image)
	if err != nil {
		return "", err
	}
	found, err := remote.Get(reference, client.Options(ctx)...)
	if err != nil {
		return "", fault.Explain("read", image, err)
	}
	return found.Digest.String(), nil
}

// Write writes the lock to a checkout.
func (l Lock) Write(root string) error {
	text, err := yaml.Marshal(l)
	if err != nil {
		return err
	}
	head := "# The digests by which published charts name the images of other projects; written by make images-lock.\n"
	return os.WriteFile(filepath.Join(root, File), append([]byte(head), text...), 0o644)
}

// Problems returns what is wrong with a lock for the images that charts install: it lacks some, has others, or is too old. An empty lock lacks all.
func (l Lock) Problems(images []string, now time.Time) []string {
	var problems []string
	for _, image := range images {
		if l.Images[image] == "" {
			problems = append(problems, image+" has no digest")
		}
	}
	for _, image := range slices.Sorted(maps.Keys(l.Images)) {
		if !slices.Contains(images, image) {
			problems = append(problems, image+" is not in any chart")
		}
	}
	if l.Resolved == "" {
		return problems
	}
	resolved, err := time.Parse(time.DateOnly, l.Resolved)
	switch {
	case err != nil:
		problems = append(problems, fmt.Sprintf("resolved: %q is not a day such as 2006-01-02", l.Resolved))
	case now.Sub(resolved) > MaxAge:
		problems = append(problems, fmt.Sprintf("the digests are those of %s, more than %d days ago", l.Resolved, int(MaxAge.Hours()/24)))
	}
	return problems
}
