package publish

import (
	"bytes"
	"context"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"gitops-runtime/hack/release/artifact"
	"gitops-runtime/hack/release/attached"
	"gitops-runtime/hack/release/sign"
	"gitops-runtime/internal/registry/fault"
)

// attached returns the bundles that refer to an artifact.
func (r *run) attached(ctx context.Context, named string, subject v1.Descriptor) ([]attached.Bundle, error) {
	text := r.Registry + "/" + named + "@" + subject.Digest.String()
	reference, err := r.client.Reference(text)
	if err != nil {
		return nil, err
	}
	found, err := attached.List(ctx, r.client, reference.Context().Digest(subject.Digest.String()))
	if err != nil {
		return nil, fault.Explain("read what is attached to", text, err)
	}
	return found, nil
}

// has reports whether bundles contain a statement with a valid signature.
func (r *run) has(ctx context.Context, among []attached.Bundle, wanted []byte, kind, digest string) bool {
	for _, one := range among {
		if one.Err != nil {
			continue
		}
		payload, err := sign.Payload(one.Content)
		if err != nil || !bytes.Equal(payload, wanted) {
			continue
		}
		if _, err := r.Signer.Verify(ctx, one.Content, kind, digest); err == nil {
			return true
		}
	}
	return false
}

// attach signs a statement about an artifact and pushes it as one that refers to the artifact.
func (r *run) attach(ctx context.Context, named string, subject v1.Descriptor, kind string, payload []byte) error {
	bundle, err := r.Signer.Sign(ctx, payload)
	if err != nil {
		return err
	}
	pushed, err := artifact.Bundle(bundle, kind, subject, r.Source.Time)
	if err != nil {
		return err
	}
	digest, err := pushed.Digest()
	if err != nil {
		return err
	}
	text := r.Registry + "/" + named + "@" + digest.String()
	reference, err := r.client.Reference(text)
	if err != nil {
		return err
	}
	if err := r.push(ctx, reference, pushed); err != nil {
		return fault.Explain("attach a signature to", r.Registry+"/"+named+":"+r.Version, err)
	}
	return nil
}
