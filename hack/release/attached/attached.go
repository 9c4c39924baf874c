// Package attached reads the Sigstore bundles that refer to an artifact in a registry.
package attached

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"gitops-runtime/hack/release/artifact"
	"gitops-runtime/internal/registry"
)

// Bundle is a bundle that refers to an artifact.
type Bundle struct {
	// Digest is the digest of the bundle's manifest.
	Digest string
	// PredicateType is the predicate type in an annotation of the manifest.
	PredicateType string
	Content       []byte
	// Err is why the content is not available; other bundles may be usable.
	Err error
}

// List reads all bundles that refer to a digest, from the registry's list of referrers or from the fallback tag.
func List(ctx context.Context, client *registry.Client, subject name.Digest) ([]Bundle, error) {
	index, err := remote.Referrers(subject, client.Options(ctx)...)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	listed, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(listed.Manifests) > maxReferrers {
		return nil, fmt.Errorf("%d artifacts refer to %s, and a release has three: at most %d are read; delete those that do not belong to it", len(listed.Manifests), subject, maxReferrers)
	}
	var all []Bundle
	left := maxBytes
	for _, one := range listed.Manifests {
		image, err := remote.Image(subject.Context().Digest(one.Digest.String()), client.Options(ctx)...)
		if err != nil {
			all = append(all, Bundle{Digest: one.Digest.String(), Err: err})
			continue
		}
		content, kind, found, err := artifact.ReadBundle(image)
		if found || err != nil {
			all = append(all, Bundle{Digest: one.Digest.String(), PredicateType: kind, Content: content, Err: err})
		}
		if left -= len(content); left < 0 {
			return nil, fmt.Errorf("the statements that refer to %s have more than %d MiB, and those of a release have less than one; delete those that do not belong to it", subject, maxBytes>>20)
		}
	}
	return all, ctx.Err()
}

// maxReferrers is the maximum number of artifacts that refer to another one.
const maxReferrers = 100

// maxBytes is the maximum size of all bundles that refer to another artifact, in bytes.
const maxBytes = 24 << 20

func absent(err error) bool {
	var answer *transport.Error
	return errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound
}
