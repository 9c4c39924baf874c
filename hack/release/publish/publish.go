// Package publish pushes a release to a registry: the images of the product's own programs, the charts that reference these by digest, and for each of
// them a signature, an SBOM and its provenance. It does not change existing artifacts, so that a run continues where another one stopped.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"golang.org/x/sync/errgroup"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/plugin"
	"gitops-runtime/hack/release/source"
	"gitops-runtime/hack/release/statement"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/fault"
)

// Signer signs statements and verifies what was signed.
type Signer interface {
	Sign(ctx context.Context, statement []byte) (bundle []byte, err error)
	Verify(ctx context.Context, bundle []byte, predicateType, digest string) (statement []byte, err error)
}

// Clearsigner writes provenance files, by which Helm verifies charts and plugins. The same input gives the same bytes.
type Clearsigner interface {
	Provenance(file string, metadata any, packed []byte, at time.Time) ([]byte, error)
}

// Event reports an artifact that is completely published.
type Event struct {
	// Reference is host/path/name:version@digest.
	Reference string
	// Written is true if a part of it did not exist yet.
	Written bool
}

// Publisher publishes a release.
type Publisher struct {
	// Root is the checkout, Registry is host/path.
	Root, Registry, Version string
	// Charts are the names of the charts to publish.
	Charts []string
	// Plugins are the plugins of Helm to publish.
	Plugins []plugin.Plugin
	Access  registry.Access
	Source  source.Source
	// Locked contains the digests of images of other projects, by reference; charts name the others by tag.
	Locked map[string]string
	// Address is the address of the product, with the repository of the source.
	Address address.Address
	// Builder is the identity of the builder, for the provenance.
	Builder string
	Compile image.Compiler
	Signer  Signer
	// Clearsigner is nil if charts and plugins have no provenance file.
	Clearsigner Clearsigner
	// Replace overwrites a version that was published with different content.
	Replace bool
	// Report is called for each artifact, one call at a time; may be nil.
	Report func(Event)
}

// jobs is the maximum number of charts that are published at the same time.
const jobs = 4

// Publish publishes all images, then plugins and charts.
func (p Publisher) Publish(ctx context.Context) error {
	client, err := p.Access.Open()
	if err != nil {
		return err
	}
	licenses, err := statement.Licenses(ctx, p.Root)
	if err != nil {
		return err
	}
	run := &run{Publisher: p, client: client, digests: map[string]string{}, licenses: licenses}
	for _, program := range image.Programs() {
		if err := run.image(ctx, program); err != nil {
			return err
		}
	}
	for _, one := range p.Plugins {
		if err := run.plugin(ctx, one); err != nil {
			return err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for _, chart := range p.Charts {
		group.Go(func() error { return run.chart(ctx, chart) })
	}
	return group.Wait()
}

// Charts returns the names of the charts in a checkout, sorted.
func Charts(root string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no charts: run this in a checkout: %w", root, os.ErrNotExist)
	}
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(filepath.Dir(file)))
	}
	slices.Sort(names)
	return names, nil
}

// run is one Publish.
type run struct {
	Publisher
	client  *registry.Client
	digests map[string]string // of images, by name
	// licenses are those of Go modules, by package URL.
	licenses map[string]string
	mu       sync.Mutex
}

// content is an image or index that is pushed under a tag.
type content interface {
	remote.Taggable
	Digest() (v1.Hash, error)
}

// put pushes content under the tag of the version, and returns its descriptor and whether it did not exist.
func (r *run) put(ctx context.Context, named string, pushed content) (v1.Descriptor, bool, error) {
	text := r.Registry + "/" + named + ":" + r.Version
	reference, err := r.client.Reference(text)
	if err != nil {
		return v1.Descriptor{}, false, err
	}
	digest, err := pushed.Digest()
	if err != nil {
		return v1.Descriptor{}, false, err
	}
	found, err := remote.Head(reference, r.client.Options(ctx)...)
	switch {
	case err == nil && found.Digest == digest:
		return *found, false, nil
	case err == nil && !r.Replace:
		return v1.Descriptor{}, false, fmt.Errorf("%s is published with another content (%s, this checkout makes %s): raise the version in the file VERSION, or overwrite what users have verified with --replace", text, found.Digest, digest)
	case err != nil && !maybeAbsent(err):
		return v1.Descriptor{}, false, fault.Explain("publish", text, err)
	}
	if err := r.push(ctx, reference, pushed); err != nil {
		return v1.Descriptor{}, false, fault.Explain("publish", text, err)
	}
	raw, err := pushed.RawManifest()
	if err != nil {
		return v1.Descriptor{}, false, err
	}
	kind, err := v1.ParseManifest(bytes.NewReader(raw))
	if err != nil {
		return v1.Descriptor{}, false, err
	}
	return v1.Descriptor{Digest: digest, Size: int64(len(raw)), MediaType: kind.MediaType}, true, nil
}

func (r *run) push(ctx context.Context, reference name.Reference, pushed remote.Taggable) error {
	return r.Access.Again(ctx, func() error { return remote.Push(reference, pushed, r.client.Options(ctx)...) })
}

// maybeAbsent reports whether an artifact may be absent: some registries respond with 403 if it does not exist, and a push shows the actual reason.
func maybeAbsent(err error) bool {
	var answer *transport.Error
	return errors.As(err, &answer) && (answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusForbidden)
}

func (r *run) report(named string, digest v1.Hash, written bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Report != nil {
		r.Report(Event{Reference: fmt.Sprintf("%s/%s:%s@%s", r.Registry, named, r.Version, digest), Written: written})
	}
}
