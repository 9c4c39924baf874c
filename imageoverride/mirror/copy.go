package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/registry"
)

// Outcome is what happened to one pair.
type Outcome string

// The outcomes.
const (
	Copied  Outcome = "copied"
	Present Outcome = "present" // the target existed already, with the same digest
	Failed  Outcome = "failed"
)

// Event describes one finished pair.
type Event struct {
	Pair    mapping.Pair
	Outcome Outcome
	Digest  string
	Err     error
	// Done and Total count pairs.
	Done, Total int
}

// Copier copies images.
type Copier struct {
	Access  registry.Access
	Journal *Journal
	// Jobs is the number of images that are copied in parallel; 0 means 4.
	Jobs int
	// Referrers includes signatures, SBOMs and other referrers of the images.
	Referrers bool
	// Report is called for each finished pair, one call at a time; may be nil.
	Report func(Event)
}

const defaultJobs = 4

// Copy copies all pairs and continues when one fails, unless the journal can no longer be written. Each failure is reported; the error contains their
// number.
func (c Copier) Copy(ctx context.Context, pairs []mapping.Pair) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	registries, err := open(c.Access)
	if err != nil {
		return err
	}
	work, err := newCopying(ctx, registries, c)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var failures []error
	done := 0
	inTurns(ctx, len(pairs), c.Jobs, func(ctx context.Context, i int) {
		outcome, digest, err := work.pair(ctx, pairs[i])
		mu.Lock()
		defer mu.Unlock()
		done++
		if err != nil {
			failures = append(failures, err)
		}
		if errors.As(err, new(*stopError)) {
			cancel(err)
		}
		if c.Report != nil {
			c.Report(Event{Pair: pairs[i], Outcome: outcome, Digest: digest, Err: err, Done: done, Total: len(pairs)})
		}
	})
	return summary(ctx, failures, len(pairs))
}

// copying is the state of one Copy.
type copying struct {
	client  client
	puller  *remote.Puller
	journal *Journal
	again   func(context.Context, func() error) error
	// referrers includes the referrers of images.
	referrers bool
	mu        sync.Mutex
	busy      map[string]*sync.Mutex // locks by blob digest
}

// blobsPerImage is the number of blobs of one platform that are transferred at the same time.
const blobsPerImage = 4

func newCopying(ctx context.Context, registries client, c Copier) (*copying, error) {
	puller, err := remote.NewPuller(registries.Options(ctx)...)
	if err != nil {
		return nil, fmt.Errorf("registry client: %w", err)
	}
	return &copying{
		referrers: c.Referrers, again: c.Access.Again,
		client: registries, puller: puller, journal: c.Journal, busy: map[string]*sync.Mutex{},
	}, nil
}

func (c *copying) pair(ctx context.Context, pair mapping.Pair) (Outcome, string, error) {
	if err := ctx.Err(); err != nil {
		return Failed, "", explain("copy", pair.Source, err)
	}
	target, err := c.client.Reference(pair.Target)
	if err != nil {
		return Failed, "", err
	}
	if digest, ok := c.journal.finished(pair.Source, pair.Target); ok && !c.referrers && c.whole(ctx, target, digest) {
		return Present, digest, nil
	}
	source, err := c.client.Reference(pair.Source)
	if err != nil {
		return Failed, "", err
	}
	found, err := c.puller.Get(ctx, source)
	if err != nil {
		return Failed, "", explain("read", pair.Source, err)
	}
	digest := found.Digest.String()
	outcome := Copied
	if c.whole(ctx, target, digest) {
		outcome = Present
	} else if err := c.again(ctx, func() error { return c.push(ctx, pair, target, found) }); err != nil {
		return Failed, "", explain("copy", pair.Source, err)
	}
	if c.referrers {
		if err := c.copyReferrers(ctx, pair, target, source, found); err != nil {
			return Failed, "", explain("copy the referrers of", pair.Source, err)
		}
	}
	if err := c.journal.add(entry{Source: pair.Source, Target: pair.Target, Digest: digest}); err != nil {
		return Failed, "", err
	}
	return outcome, digest, nil
}

// whole reports whether a target has a digest, and all manifests and blobs below it.
func (c *copying) whole(ctx context.Context, target name.Reference, digest string) bool {
	if c.at(ctx, target) != digest {
		return false
	}
	lost, err := c.client.lost(ctx, target, digest)
	return err == nil && lost == ""
}

// at returns the digest of a reference, empty if it cannot be read.
func (c *copying) at(ctx context.Context, reference name.Reference) string {
	found, err := c.puller.Head(ctx, reference)
	if err != nil {
		return ""
	}
	return found.Digest.String()
}

// push copies the blobs of all platforms, then the manifests that name them.
func (c *copying) push(ctx context.Context, pair mapping.Pair, target name.Reference, found *remote.Descriptor) error {
	var content remote.Taggable = found
	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		if err != nil {
			return err
		}
		if err := c.index(ctx, pair, target, index); err != nil {
			return err
		}
		content = index
	} else if found.MediaType.IsImage() {
		image, err := found.Image()
		if err != nil {
			return err
		}
		if err := c.image(ctx, pair, target, image); err != nil {
			return err
		}
		content = image
	}
	if err := remote.Push(target, content, c.client.Options(ctx)...); err != nil {
		return err
	}
	return c.tag(ctx, pair, target, content)
}

// tag pushes the tag of a target that also has a digest, since such a target is
// pushed by its digest alone.
func (c *copying) tag(ctx context.Context, pair mapping.Pair, target name.Reference, content remote.Taggable) error {
	parsed, err := mapping.Parse(pair.Target)
	if err != nil || parsed.Tag == "" || parsed.Digest == "" {
		return err
	}
	return remote.Push(target.Context().Tag(parsed.Tag), content, c.client.Options(ctx)...)
}

func (c *copying) index(ctx context.Context, pair mapping.Pair, target name.Reference, index v1.ImageIndex) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, child := range manifest.Manifests {
		switch {
		case child.MediaType.IsIndex():
			inner, err := index.ImageIndex(child.Digest)
			if err != nil {
				return err
			}
			if err := c.index(ctx, pair, target, inner); err != nil {
				return err
			}
		case child.MediaType.IsImage():
			image, err := index.Image(child.Digest)
			if err != nil {
				return err
			}
			if err := c.image(ctx, pair, target, image); err != nil {
				return err
			}
		}
	}
	return nil
}
