// Package verify verifies a release in a registry: everything exists, content matches its digests, signature, SBOM and provenance of every image and
// chart are valid, and charts reference the images that were verified.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"gitops-runtime/hack/release/attached"
	"gitops-runtime/hack/release/statement"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/fault"
)

// Signatures verifies bundles.
type Signatures interface {
	Verify(ctx context.Context, bundle []byte, predicateType, digest string) (statement []byte, err error)
}

// Verifier verifies a release.
type Verifier struct {
	// Registry is host/path. From is the place that the release was published to, if Registry has a copy of it.
	Registry, From, Version string
	// Commit is the commit that was released, Builder who built it; empty if any is accepted. Dirty accepts content of no commit.
	Commit, Builder string
	Dirty           bool
	// Images, Plugins and Charts are the names of the release's artifacts.
	Images, Plugins, Charts []string
	Access                  registry.Access
	Signatures              Signatures
	// Report is called for each artifact; may be nil.
	Report func(Result)
}

// Result is the result of verifying an artifact.
type Result struct {
	// Reference is host/path/name:version, Digest the digest of its manifest.
	Reference, Digest string
	// Defects are the problems; a valid artifact has none.
	Defects []string
	// Packages is the number of packages in the SBOM; Revision (a commit, or Uncommitted) and Builder are those of the provenance.
	Packages          int
	Revision, Builder string
	// ByTag are the images that a chart installs, as it lists them, without a digest.
	ByTag []string
}

// Verify verifies every image, plugin and chart. The error contains the number of invalid ones, or the reason why the registry could not be
// contacted.
func (v Verifier) Verify(ctx context.Context) error {
	client, err := v.Access.Open()
	if err != nil {
		return err
	}
	v.From = cmp.Or(v.From, v.Registry)
	run := &run{Verifier: v, client: client, digests: map[string]string{}}
	bad := 0
	for _, named := range v.Images {
		result, err := run.artifact(ctx, named, run.imageContent)
		if err != nil {
			return err
		}
		run.digests[named] = result.Digest
		bad += run.report(result)
	}
	for _, named := range v.Plugins {
		result, err := run.artifact(ctx, named, run.pluginContent)
		if err != nil {
			return err
		}
		bad += run.report(result)
	}
	for _, named := range v.Charts {
		result, err := run.artifact(ctx, named, run.chartContent)
		if err != nil {
			return err
		}
		bad += run.report(result)
	}
	if bad == 0 && run.referenced == 0 && len(v.Images) > 0 {
		return fmt.Errorf("no chart at %s references an image of the release, so that nothing was verified of what the charts install; do not install them", v.Registry)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d images and charts at %s are not what was released; do not install them", bad, len(v.Images)+len(v.Plugins)+len(v.Charts), v.Registry)
	}
	return nil
}

// Uncommitted is the revision of content that is that of no commit.
const Uncommitted = "uncommitted"

type run struct {
	Verifier
	client  *registry.Client
	digests map[string]string // of images, by name
	// referenced is the number of images of the release that charts reference.
	referenced int
}

func (r *run) report(result Result) int {
	if r.Report != nil {
		r.Report(result)
	}
	return min(len(result.Defects), 1)
}

// checker returns the defects of an artifact's content, and writes what it finds there to the result.
type checker func(ctx context.Context, found *remote.Descriptor, result *Result) ([]string, error)

// artifact verifies one image or chart.
func (r *run) artifact(ctx context.Context, named string, check checker) (Result, error) {
	result := Result{Reference: r.Registry + "/" + named + ":" + r.Version}
	reference, err := r.client.Reference(result.Reference)
	if err != nil {
		return result, err
	}
	found, err := remote.Get(reference, r.client.Options(ctx)...)
	if absent(err) {
		result.Defects = []string{"it is missing"}
		return result, nil
	}
	if err != nil {
		return result, fault.Explain("read", result.Reference, err)
	}
	result.Digest = found.Digest.String()
	bundles, err := attached.List(ctx, r.client, reference.Context().Digest(result.Digest))
	if err != nil {
		return result, fault.Explain("read what is attached to", result.Reference, err)
	}
	for _, kind := range statement.Types() {
		text, defect := r.verified(ctx, bundles, kind, found.Digest)
		if defect == "" {
			defect = r.record(&result, text, kind, named, found.Digest)
		}
		if defect != "" {
			result.Defects = append(result.Defects, defect)
		}
	}
	if len(result.Defects) > 0 { // content that nobody signed is not read
		return result, ctx.Err()
	}
	defects, err := check(ctx, found, &result)
	if err != nil {
		return result, fault.Explain("read", result.Reference, err)
	}
	result.Defects = append(result.Defects, defects...)
	return result, ctx.Err()
}

// labels are the names of the types of statements in messages.
var labels = map[string]string{statement.Signature: "signature", statement.SBOM: "SBOM", statement.Provenance: "provenance"}

// verified returns the statement of a type that has a valid signature, or a defect if there is none.
func (r *run) verified(ctx context.Context, bundles []attached.Bundle, kind string, digest v1.Hash) ([]byte, string) {
	reason := "nothing of the kind is attached; the tag may have been moved to another manifest, or the manifest changed"
	for _, one := range bundles {
		if one.PredicateType != kind {
			continue
		}
		if one.Err != nil {
			reason = one.Err.Error()
			continue
		}
		text, err := r.Signatures.Verify(ctx, one.Content, kind, digest.Hex)
		if err == nil {
			return text, ""
		}
		reason = err.Error()
	}
	return nil, fmt.Sprintf("%s has no valid %s: %s", digest, labels[kind], reason)
}

// record reads a verified statement into the result, and returns a defect if its content is invalid.
func (r *run) record(result *Result, text []byte, kind, named string, digest v1.Hash) string {
	read, err := statement.Read(text, kind, digest.Hex)
	if err != nil {
		return err.Error()
	}
	if about := read.Subject[0].Name; about != r.From+"/"+named {
		return fmt.Sprintf("its %s is about %s, not about %s/%s; --from names the place that a copy was made from", labels[kind], about, r.From, named)
	}
	switch kind {
	case statement.SBOM:
		document, err := statement.CheckSBOM(read.Predicate, digest.Hex)
		if err != nil {
			return err.Error()
		}
		result.Packages = len(document.Packages)
	case statement.Provenance:
		want := statement.Expected{Version: r.Version, Artifact: named, Commit: r.Commit, Builder: r.Builder, Dirty: r.Dirty}
		provenance, err := statement.CheckProvenance(read.Predicate, want)
		if err != nil {
			return err.Error()
		}
		result.Revision, result.Builder = cmp.Or(provenance.Commit(), Uncommitted), provenance.RunDetails.Builder.ID
	}
	return ""
}

func absent(err error) bool {
	var answer *transport.Error
	return errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound
}
