package registrytest

import (
	"crypto/tls"
	"crypto/x509"
	"math/rand"
	"net/http"
	"os"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/require"
)

// Push pushes an image or an image index to a reference.
func Push(t testing.TB, reference string, content remote.Taggable, how ...remote.Option) {
	t.Helper()
	ref, err := name.ParseReference(reference)
	require.NoError(t, err)
	require.NoError(t, remote.Push(ref, content, how...))
}

// ChartLayer is the media type under which Helm stores a packaged chart.
const ChartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

// Chart returns a packaged chart as Helm pushes it; with a media type other than ChartLayer it is not a chart.
func Chart(t testing.TB, archive []byte, kind types.MediaType) v1.Image {
	t.Helper()
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), static.NewLayer(archive, kind))
	require.NoError(t, err)
	return image
}

// Trusting returns an option that trusts the authority of a registry with TLS.
func (r *Registry) Trusting(t testing.TB) remote.Option {
	t.Helper()
	authority, err := os.ReadFile(r.CAFile)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(authority))
	return remote.WithTransport(&http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}})
}

// List returns an image index for these architectures, or for amd64 and arm64, with content derived from the text.
func List(t testing.TB, text string, size int, architectures ...string) v1.ImageIndex {
	t.Helper()
	if len(architectures) == 0 {
		architectures = []string{"amd64", "arm64"}
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, architecture := range architectures {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        Image(t, text+" "+architecture, size),
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
		})
	}
	return index
}

// Image returns an image for one platform with two layers: one that all images share, and one derived from the text.
func Image(t testing.TB, text string, size int) v1.Image {
	t.Helper()
	own := append([]byte(text), noise(text, size)...)
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.AppendLayers(base,
		static.NewLayer(append([]byte("a layer that all images share"), noise("shared", size)...), types.OCILayer),
		static.NewLayer(own, types.OCILayer))
	require.NoError(t, err)
	return image
}

// noise returns bytes that are the same for the same text, and compress badly, as layers do.
func noise(text string, size int) []byte {
	var seed int64
	for _, letter := range text {
		seed = seed*31 + int64(letter)
	}
	data := make([]byte, size)
	source := rand.New(rand.NewSource(seed)) //nolint:gosec // content, not a secret
	for i := range data {
		data[i] = byte(source.Intn(256))
	}
	return data
}

// DigestAt returns the digest at a reference, "" if the reference does not exist.
func DigestAt(t testing.TB, reference string) string {
	t.Helper()
	ref, err := name.ParseReference(reference)
	require.NoError(t, err)
	found, err := remote.Head(ref)
	if err != nil {
		return ""
	}
	return found.Digest.String()
}
