package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/registry"
)

// OpenBundle reads the description of a bundle and checks that each of its blobs is there and has the content of its digest.
func OpenBundle(folder string) (Contents, error) {
	contents, err := describeBundle(folder)
	if err != nil {
		return contents, err
	}
	_, err = check(folder, contents)
	return contents, err
}

func describeBundle(folder string) (Contents, error) {
	var contents Contents
	text, err := os.ReadFile(filepath.Join(folder, BundleFile))
	if err != nil {
		return contents, fmt.Errorf("bundle %s: %s; it is a folder that `image-override bundle` finished", folder, outfile.Reason(err))
	}
	if err := json.Unmarshal(text, &contents); err != nil {
		return contents, fmt.Errorf("%s is not the description of a bundle: %w", filepath.Join(folder, BundleFile), err)
	}
	return contents, nil
}

// check reads all blobs of a bundle, and returns the files of those that its images have.
func check(folder string, contents Contents) (used map[string]bool, err error) {
	wrong, err := damaged(folder)
	if err != nil {
		return nil, err
	}
	used = map[string]bool{}
	for _, one := range contents.Images {
		for _, digest := range append(slices.Sorted(maps.Keys(one.Referrers)), one.Digest) {
			if problem := incomplete(folder, digest, wrong, used); problem != "" {
				return nil, fmt.Errorf("bundle %s: of %s, %s; build the bundle again, what is right in it is kept", folder, one.Source, problem)
			}
		}
	}
	return used, nil
}

// incomplete returns what is wrong with a manifest and what it names, "" if nothing is. It adds the files of both to used.
func incomplete(folder, digest string, wrong []string, used map[string]bool) string {
	file := filepath.Join(folder, "blobs", strings.Replace(digest, ":", string(filepath.Separator), 1))
	used[file] = true
	if slices.Contains(wrong, file) {
		return "blob " + digest + " is damaged"
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "blob " + digest + " is missing"
	}
	var manifest struct {
		Manifests, Layers []v1.Descriptor
		Config            *v1.Descriptor
	}
	if json.Unmarshal(text, &manifest) != nil {
		return "manifest " + digest + " is not JSON"
	}
	for _, child := range manifest.Manifests {
		if problem := incomplete(folder, child.Digest.String(), wrong, used); problem != "" {
			return problem
		}
	}
	if manifest.Config != nil {
		manifest.Layers = append(manifest.Layers, *manifest.Config)
	}
	for _, layer := range manifest.Layers {
		blob := filepath.Join(folder, "blobs", layer.Digest.Algorithm, layer.Digest.Hex)
		used[blob] = true
		if _, err := os.Stat(blob); err != nil && len(layer.URLs) == 0 {
			return "blob " + layer.Digest.String() + " is missing"
		}
		if slices.Contains(wrong, blob) {
			return "blob " + layer.Digest.String() + " is damaged"
		}
	}
	return ""
}

// Loader pushes a bundle into a registry.
type Loader struct {
	Access registry.Access
	Jobs   int
	Mapper mapping.Mapper
	// Report is called for each finished image, one call at a time; may be nil.
	Report func(Event)
}

// Load pushes all images of a bundle and returns the lock of their targets. Images that are there already are not sent again.
func (l Loader) Load(ctx context.Context, folder string, contents Contents) ([]Locked, error) {
	registries, err := open(l.Access)
	if err != nil {
		return nil, err
	}
	pairs := make([]mapping.Pair, len(contents.Images))
	locked := make([]Locked, len(pairs))
	for i, one := range contents.Images {
		image, err := mapping.Parse(one.Source)
		if err != nil {
			return nil, fmt.Errorf("bundle %s: %w", folder, err)
		}
		pairs[i] = mapping.Pair{Source: one.Source, Target: l.Mapper.Target(image).Pinned()}
		locked[i] = Locked{Source: one.Source, Target: pairs[i].Target, Digest: one.Digest, Platforms: one.Platforms, Referrers: slices.Sorted(maps.Keys(one.Referrers))}
	}
	events := make(chan Event)
	done := make(chan struct{})
	go func() {
		defer close(done)
		count := 0
		for event := range events {
			count++
			event.Done, event.Total = count, len(pairs)
			if l.Report != nil {
				l.Report(event)
			}
		}
	}()
	err = each(ctx, pairs, l.Jobs, func(ctx context.Context, i int) error {
		event := Event{Pair: pairs[i], Outcome: Copied, Digest: locked[i].Digest}
		err := l.Access.Again(ctx, func() (err error) {
			event.Outcome, err = registries.load(ctx, layout.Path(folder), pairs[i].Target, contents.Images[i])
			return err
		})
		if err != nil {
			event.Outcome, event.Err = Failed, explain("load", pairs[i].Target, err)
		}
		events <- event
		return event.Err
	})
	close(events)
	<-done
	return locked, err
}

// load pushes one image and its referrers, unless the registry has all of it.
func (c client) load(ctx context.Context, from layout.Path, text string, one Bundled) (Outcome, error) {
	target, err := c.Reference(text)
	if err != nil {
		return Failed, err
	}
	outcome := Present
	push := func(place name.Reference, digest string) error {
		if found, err := remote.Head(place, c.Options(ctx)...); err == nil && found.Digest.String() == digest {
			if lost, err := c.lost(ctx, target, digest); err == nil && lost == "" {
				return nil
			}
		}
		outcome = Copied
		return c.pushFrom(ctx, from, place, digest)
	}
	if err := push(target, one.Digest); err != nil {
		return Failed, err
	}
	if parsed, err := mapping.Parse(text); err == nil && parsed.Tag != "" && parsed.Digest != "" {
		if err := push(target.Context().Tag(parsed.Tag), one.Digest); err != nil {
			return Failed, err
		}
	}
	for _, digest := range slices.Sorted(maps.Keys(one.Referrers)) {
		var place name.Reference = target.Context().Digest(digest)
		if tag := one.Referrers[digest]; tag != "" {
			place = target.Context().Tag(tag)
		}
		if err := push(place, digest); err != nil {
			return Failed, err
		}
	}
	return outcome, nil
}

// pushFrom pushes a manifest of a layout with all that it names.
func (c client) pushFrom(ctx context.Context, from layout.Path, place name.Reference, digest string) error {
	hash, err := v1.NewHash(digest)
	if err != nil {
		return err
	}
	root, err := from.ImageIndex()
	if err != nil {
		return err
	}
	manifest, err := root.IndexManifest()
	if err != nil {
		return err
	}
	for _, one := range manifest.Manifests {
		switch {
		case one.Digest != hash:
		case one.MediaType.IsIndex():
			index, err := root.ImageIndex(hash)
			if err != nil {
				return err
			}
			return remote.WriteIndex(place, index, c.Options(ctx)...)
		default:
			image, err := root.Image(hash)
			if err != nil {
				return err
			}
			return remote.Write(place, image, c.Options(ctx)...)
		}
	}
	return fmt.Errorf("the bundle does not list %s", digest)
}
