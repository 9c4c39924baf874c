package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/registry"
)

// BundleFile describes the content of a bundle: an OCI layout with images and other files.
const BundleFile = "bundle.json"

// Bundled is an image in a bundle.
type Bundled struct {
	Source string `json:"source"`
	// Digest is that of the image in the bundle; Original is that of its source, if platforms were left out.
	Digest   string `json:"digest"`
	Original string `json:"original,omitempty"`
	// Platforms are the digests by platform.
	Platforms map[string]string `json:"platforms,omitempty"`
	// Referrers are signatures, SBOMs and other manifests that refer to the image, by their digest; the value is the tag of cosign, or empty.
	Referrers map[string]string `json:"referrers,omitempty"`
}

// Contents is the content of BundleFile.
type Contents struct {
	Images []Bundled `json:"images"`
	// Chart and Values are the chart and the values files with which the images were found.
	Chart  string   `json:"chart,omitempty"`
	Values []string `json:"values,omitempty"`
}

// Bundler writes images into a folder.
type Bundler struct {
	Access registry.Access
	// Platforms are those to keep, for instance "linux/amd64"; all if empty.
	Platforms []string
	Referrers bool
	// Jobs is the number of images that are fetched in parallel; 0 means 4.
	Jobs int
	// Report is called for each finished image, one call at a time; may be nil.
	Report func(Event)
}

// Write writes images into the layout of a folder. What an earlier run wrote is kept, after a check of its digests; each failure is reported, and the
// bundle is complete only without an error.
func (b Bundler) Write(ctx context.Context, folder string, sources []string, contents Contents) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	registries, err := open(b.Access)
	if err != nil {
		return err
	}
	if err := sweep(folder); err != nil {
		return full(folder, err)
	}
	to := layout.Path(folder)
	var mu sync.Mutex
	var failures []error
	var descriptors []v1.Descriptor
	inTurns(ctx, len(sources), b.Jobs, func(ctx context.Context, i int) {
		event := Event{Pair: mapping.Pair{Source: sources[i], Target: folder}, Outcome: Copied, Total: len(sources)}
		var one Bundled
		var written []v1.Descriptor
		err := b.Access.Again(ctx, func() (err error) {
			one, written, err = b.image(ctx, registries, to, sources[i])
			return err
		})
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			event.Outcome, event.Err = Failed, explain("bundle", sources[i], full(folder, err))
			failures = append(failures, event.Err)
			if errors.As(event.Err, new(*stopError)) {
				cancel(event.Err)
			}
		}
		contents.Images, descriptors = append(contents.Images, one), append(descriptors, written...)
		if event.Done = len(contents.Images); b.Report != nil {
			b.Report(event)
		}
	})
	if err := summary(ctx, failures, len(sources)); err != nil {
		return err
	}
	return full(folder, finish(folder, descriptors, contents))
}

// image writes one image and its referrers, and returns their descriptors.
func (b Bundler) image(ctx context.Context, registries client, to layout.Path, source string) (Bundled, []v1.Descriptor, error) {
	one := Bundled{Source: source, Referrers: map[string]string{}}
	reference, err := registries.Reference(source)
	if err != nil {
		return one, nil, err
	}
	found, err := remote.Get(reference, registries.Options(ctx)...)
	if err != nil {
		return one, nil, err
	}
	kept, err := b.write(to, source, found, &one)
	if err != nil || !b.Referrers {
		return one, []v1.Descriptor{kept}, err
	}
	all := []v1.Descriptor{kept}
	digests := []string{one.Digest}
	for _, digest := range one.Platforms {
		digests = append(digests, digest)
	}
	for _, digest := range digests {
		referring, err := registries.referring(ctx, reference, digest)
		if err != nil {
			return one, nil, err
		}
		for _, each := range referring {
			found, err := remote.Get(reference.Context().Digest(each.digest), registries.Options(ctx)...)
			if err != nil {
				return one, nil, err
			}
			written, err := writeWhole(to, found)
			if err != nil {
				return one, nil, err
			}
			one.Referrers[each.digest] = each.tag
			all = append(all, written)
		}
	}
	return one, all, nil
}

// write writes an image with the platforms that are wanted.
func (b Bundler) write(to layout.Path, source string, found *remote.Descriptor, one *Bundled) (v1.Descriptor, error) {
	one.Digest = found.Digest.String()
	if !found.MediaType.IsIndex() {
		return writeWhole(to, found)
	}
	index, err := found.ImageIndex()
	if err != nil {
		return v1.Descriptor{}, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	if len(b.Platforms) > 0 && !strings.Contains(source, "@") { // an image that is named by its digest stays whole
		kept := map[string]bool{}
		for _, child := range manifest.Manifests {
			if slices.Contains(b.Platforms, platform(child)) {
				kept[child.Digest.String()] = true
			}
		}
		for _, wanted := range b.Platforms {
			if !slices.ContainsFunc(manifest.Manifests, func(child v1.Descriptor) bool { return platform(child) == wanted }) {
				return v1.Descriptor{}, fmt.Errorf("it has no platform %s; leave --platform out, or name platforms that all images have", wanted)
			}
		}
		index = mutate.RemoveManifests(index, func(child v1.Descriptor) bool {
			return !kept[child.Digest.String()] && !kept[child.Annotations["vnd.docker.reference.digest"]] // the attestation of a platform
		})
		if manifest, err = index.IndexManifest(); err != nil {
			return v1.Descriptor{}, err
		}
	}
	digest, err := index.Digest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	if text := digest.String(); text != one.Digest {
		one.Original, one.Digest = one.Digest, text
	}
	one.Platforms = map[string]string{}
	for _, child := range manifest.Manifests {
		one.Platforms[platform(child)] = child.Digest.String()
	}
	return describe(index, to.WriteIndex(index))
}

// writeWhole writes an image, a list of images or another artifact.
func writeWhole(to layout.Path, found *remote.Descriptor) (v1.Descriptor, error) {
	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		if err != nil {
			return v1.Descriptor{}, err
		}
		return describe(index, to.WriteIndex(index))
	}
	image, err := found.Image()
	if err != nil {
		return v1.Descriptor{}, err
	}
	return describe(image, to.WriteImage(image))
}

func describe(content interface {
	Digest() (v1.Hash, error)
	Size() (int64, error)
	MediaType() (types.MediaType, error)
}, err error) (v1.Descriptor, error) {
	var one v1.Descriptor
	for _, read := range []func() error{
		func() error { return err },
		func() (err error) { one.Digest, err = content.Digest(); return err },
		func() (err error) { one.Size, err = content.Size(); return err },
		func() (err error) { one.MediaType, err = content.MediaType(); return err },
	} {
		if err := read(); err != nil {
			return v1.Descriptor{}, err
		}
	}
	return one, nil
}

// finish writes the index of the layout and BundleFile, which are the same in each run, and checks all blobs.
func finish(folder string, descriptors []v1.Descriptor, contents Contents) error {
	sort.Slice(descriptors, func(a, b int) bool { return descriptors[a].Digest.String() < descriptors[b].Digest.String() })
	descriptors = slices.CompactFunc(descriptors, func(a, b v1.Descriptor) bool { return a.Digest == b.Digest })
	sort.Slice(contents.Images, func(a, b int) bool { return contents.Images[a].Source < contents.Images[b].Source })
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: descriptors}
	used, err := check(folder, contents)
	if err != nil {
		return err
	}
	if err := prune(folder, used); err != nil {
		return err
	}
	for _, file := range []struct {
		name    string
		content any
	}{{"index.json", index}, {"oci-layout", map[string]string{"imageLayoutVersion": "1.0.0"}}, {BundleFile, contents}} {
		text, err := json.MarshalIndent(file.content, "", "  ")
		if err != nil {
			return err
		}
		if err := outfile.Write(filepath.Join(folder, file.name), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// prune removes the blobs that no image of the bundle has, which an earlier run with others left.
func prune(folder string, used map[string]bool) error {
	files, err := filepath.Glob(filepath.Join(folder, "blobs", "*", "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if !used[file] {
			if err := os.Remove(file); err != nil {
				return fmt.Errorf("a blob of bundle %s that is not needed cannot be removed: %w", folder, err)
			}
		}
	}
	return nil
}

// sweep removes blobs that an interrupted run left incomplete, and temporary files. The description of the bundle is written at the end, so that one
// that is not finished cannot be loaded.
func sweep(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("bundle %s cannot be created: %w", folder, err)
	}
	if err := os.Remove(filepath.Join(folder, BundleFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("bundle %s: %w", folder, err)
	}
	wrong, err := damaged(folder)
	if err != nil {
		return err
	}
	for _, file := range wrong {
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("a damaged blob of bundle %s cannot be removed: %w", folder, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "index.json")); err != nil {
		_, err := layout.Write(folder, empty.Index)
		return err
	}
	return nil
}

// damaged returns the files among the blobs of a layout whose content is not that of their name.
func damaged(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "blobs", "*", "*"))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, file := range files {
		same, err := hashes(file)
		if err != nil {
			return nil, fmt.Errorf("bundle %s: %w", folder, err)
		}
		if !same {
			all = append(all, file)
		}
	}
	return all, nil
}

func hashes(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	hash, _, err := v1.SHA256(io.Reader(file))
	return err == nil && hash.Hex == filepath.Base(path), err
}
