package publish_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/attached"
	"gitops-runtime/hack/release/releasetest"
	"gitops-runtime/hack/release/statement"
	"gitops-runtime/hack/release/verify"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// tampering changes a published release, or what the registry answers; want is a defect, or the error of the run, and empty if the release is valid.
type tampering struct {
	name string
	do   func(t *testing.T, w *world)
	want string
}

const (
	absentStatement = "has no valid signature: nothing of the kind is attached"
	notItsDigest    = "does not match its digest"
)

// blobs returns the path of a blob of the image of a chart, and of the configuration and a layer of a platform of an image.
func (w *world) blobs(t *testing.T) (chart, config, layer string) {
	t.Helper()
	packed, err := remote.Image(w.at(t, "tunnel-server"))
	require.NoError(t, err)
	of, err := packed.Manifest()
	require.NoError(t, err)
	index, err := remote.Index(w.at(t, "image-override"))
	require.NoError(t, err)
	platforms, err := index.IndexManifest()
	require.NoError(t, err)
	one, err := index.Image(platforms.Manifests[0].Digest)
	require.NoError(t, err)
	image, err := one.Manifest()
	require.NoError(t, err)
	return "/blobs/" + of.Layers[0].Digest.String(), "/blobs/" + image.Config.Digest.String(), "/blobs/" + image.Layers[len(image.Layers)-1].Digest.String()
}

// retag moves the tag of an artifact to another manifest, together with nothing that is attached.
func (w *world) retag(t *testing.T, named string, to remote.Taggable) {
	t.Helper()
	registrytest.Push(t, w.publisher.Registry+"/"+named+":"+w.publisher.Version, to)
}

// attach attaches content to the artifact as a bundle of a kind.
func (w *world) attach(t *testing.T, named, kind string, content []byte) {
	t.Helper()
	subject, err := remote.Head(w.at(t, named))
	require.NoError(t, err)
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), static.NewLayer(content, "application/vnd.dev.sigstore.bundle.v0.3+json"))
	require.NoError(t, err)
	image, is := mutate.Annotations(image, map[string]string{"dev.sigstore.bundle.predicateType": kind}).(v1.Image)
	require.True(t, is)
	image, is = mutate.Subject(image, v1.Descriptor{MediaType: subject.MediaType, Digest: subject.Digest, Size: subject.Size}).(v1.Image)
	require.True(t, is)
	digest, err := image.Digest()
	require.NoError(t, err)
	require.NoError(t, remote.Write(w.at(t, named).Context().Digest(digest.String()), image))
}

// bundles returns what is attached to an artifact.
func (w *world) bundles(t *testing.T, named string) []attached.Bundle {
	t.Helper()
	client, err := registry.Access{}.Open()
	require.NoError(t, err)
	subject, err := remote.Head(w.at(t, named))
	require.NoError(t, err)
	found, err := attached.List(t.Context(), client, w.at(t, named).Context().Digest(subject.Digest.String()))
	require.NoError(t, err)
	require.Len(t, found, 3)
	return found
}

// forged returns an unsigned chart of a layer.
func forged(t *testing.T, content []byte) v1.Image {
	t.Helper()
	image, err := mutate.AppendLayers(empty.Image, static.NewLayer(content, registrytest.ChartLayer))
	require.NoError(t, err)
	return image
}

// answering answers the requests whose path contains a text.
func answering(part string, answer func(http.ResponseWriter)) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, request *http.Request) bool {
		if !strings.Contains(request.URL.Path, part) {
			return false
		}
		answer(w)
		return true
	}
}

// auditedTampering is the table of the second audit of security, finding 4: 14 ways, with what a careful reader expects.
func auditedTampering() []tampering {
	commit := strings.Repeat("a", 40)
	flip := func(which int) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			t.Helper()
			chart, config, layer := w.blobs(t)
			w.swap([]string{chart, config, layer}[which], oneByte)
		}
	}
	return []tampering{
		{"untouched", func(_ *testing.T, w *world) { w.expected = verify.Verifier{Commit: commit, Builder: "urn:test"} }, ""},
		{"one byte of a chart's layer", flip(0), "the chart " + notItsDigest},
		{"one byte of an image's configuration", flip(1), notItsDigest},
		{"one byte of an image's layer", flip(2), notItsDigest},
		{"a tag that is moved to another chart", func(t *testing.T, w *world) {
			t.Helper()
			other, err := remote.Image(w.at(t, "argo-events"))
			require.NoError(t, err)
			w.retag(t, "tunnel-server", other)
		}, absentStatement},
		{"a tag that is moved to another image", func(t *testing.T, w *world) {
			t.Helper()
			other, err := remote.Index(w.at(t, "image-override"))
			require.NoError(t, err)
			w.retag(t, "gitops-runtime-installer", other)
		}, absentStatement},
		{"another key", func(t *testing.T, w *world) { t.Helper(); w.signer = releasetest.NewSigner(t) }, "not signed by the key of the test"},
		{"no signature", func(_ *testing.T, w *world) {
			w.failing(answering("/tunnel-server/referrers/", func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", string(types.OCIImageIndex))
				_, _ = w.Write([]byte(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`))
			}))
		}, absentStatement},
		{"a changed bundle", func(t *testing.T, w *world) {
			t.Helper()
			digest := w.bundles(t, "tunnel-server")[0].Digest
			image, err := remote.Image(w.at(t, "tunnel-server").Context().Digest(digest))
			require.NoError(t, err)
			manifest, err := image.Manifest()
			require.NoError(t, err)
			w.swap("/blobs/"+manifest.Layers[0].Digest.String(), oneByte)
		}, "has no valid "},
		{"escape characters in an answer", func(_ *testing.T, w *world) {
			w.failing(answering("/tunnel-server/manifests/", func(w http.ResponseWriter) {
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte(`{"errors":[{"code":"DENIED","message":"\u001b[31m"}]}`))
			}))
		}, `answers 403 (\x1b[31m)`},
		{"the same release at another path", func(t *testing.T, w *world) {
			t.Helper()
			w.copyTo(t, w.Name+"/staging")
			w.expected = verify.Verifier{Registry: w.Name + "/staging"}
		}, "--from names the place that a copy was made from"},
		{"older content of the same version", func(_ *testing.T, w *world) { w.expected = verify.Verifier{Commit: strings.Repeat("b", 40)} },
			"the provenance names the commit " + commit},
		{"an unsigned chart that unpacks to very much", func(t *testing.T, w *world) {
			t.Helper()
			w.retag(t, "tunnel-server", forged(t, bytes.Repeat([]byte("a"), 1<<20)))
		}, absentStatement},
		{"twenty thousand referrers", func(_ *testing.T, w *world) {
			one := `{"mediaType":"x","size":1,"digest":"sha256:` + strings.Repeat("0", 64) + `"},`
			w.failing(answering("/tunnel-server/referrers/", func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", string(types.OCIImageIndex))
				_, _ = w.Write([]byte(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[` + strings.TrimSuffix(strings.Repeat(one, 20_000), ",") + `]}`))
			}))
		}, "at most 100 are read"},
	}
}

// furtherTampering are ways that the audit did not try.
func furtherTampering() []tampering {
	return []tampering{
		{"the statements of another artifact", func(t *testing.T, w *world) {
			t.Helper()
			w.retag(t, "tunnel-server", forged(t, []byte("other")))
			for _, one := range w.bundles(t, "argo-events") {
				w.attach(t, "tunnel-server", one.PredicateType, one.Content)
			}
		}, "the statement is about something else"},
		{"a signature in place of the SBOM and the provenance", func(t *testing.T, w *world) {
			t.Helper()
			image := forged(t, []byte("other"))
			w.retag(t, "tunnel-server", image)
			digest, err := image.Digest()
			require.NoError(t, err)
			text, err := statement.About(w.publisher.Registry+"/tunnel-server", digest.Hex, statement.Signature, map[string]string{})
			require.NoError(t, err)
			signature, err := w.signer.Sign(t.Context(), text)
			require.NoError(t, err)
			for _, kind := range statement.Types() {
				w.attach(t, "tunnel-server", kind, signature)
			}
		}, "has no valid SBOM"},
		{"signatures of strangers beside those of the release", func(t *testing.T, w *world) {
			t.Helper()
			for _, one := range w.bundles(t, "tunnel-server") {
				w.attach(t, "tunnel-server", one.PredicateType, []byte(`{"dsseEnvelope":{"payload":"e30="}}`))
			}
		}, ""},
		{"a registry that lies about the digest of a manifest", func(t *testing.T, w *world) {
			t.Helper()
			subject, err := remote.Head(w.at(t, "tunnel-server"))
			require.NoError(t, err)
			w.failing(answering("/tunnel-server/manifests/"+w.publisher.Version, func(answer http.ResponseWriter) {
				answer.Header().Set("Content-Type", string(types.OCIManifestSchema1))
				answer.Header().Set("Docker-Content-Digest", subject.Digest.String())
				_, _ = answer.Write([]byte(`{"schemaVersion":2,"layers":[]}`))
			}))
		}, absentStatement},
		{"a platform of an image that is gone", func(t *testing.T, w *world) {
			t.Helper()
			index, err := remote.Index(w.at(t, "image-override"))
			require.NoError(t, err)
			platforms, err := index.IndexManifest()
			require.NoError(t, err)
			w.failing(answering("/manifests/"+platforms.Manifests[1].Digest.String(), func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }))
		}, "is incomplete"},
	}
}

// TestTamperTable: verify refuses each way to change a release, and accepts what does not change it.
func TestTamperTable(t *testing.T) {
	audited, further := auditedTampering(), furtherTampering()
	require.Len(t, audited, 14)
	require.Len(t, further, 5)
	for _, test := range append(audited, further...) {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			_, _, err := w.publish(t)
			require.NoError(t, err)
			test.do(t, w)
			defects, err := w.verify(t)
			if test.want == "" {
				require.NoError(t, err, defects)
				return
			}
			require.Error(t, err)
			said := err.Error()
			for _, of := range defects {
				said += "\n" + strings.Join(of, "\n")
			}
			assert.Contains(t, cleantext.Block(said), test.want) // as the program prints it
		})
	}
}
