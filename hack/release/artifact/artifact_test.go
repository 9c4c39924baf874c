package artifact_test

import (
	"archive/tar"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/hack/release/artifact"
	"gitops-runtime/internal/registry/registrytest"
)

func made(t *testing.T) v1.ImageIndex {
	t.Helper()
	files := [][]artifact.File{{{Path: "/etc/ssl/ca.crt", Mode: 0o644, Content: []byte("authority")}}, {{Path: "/program", Mode: 0o755, Content: []byte("program")}}}
	index, err := artifact.Image{
		Platforms:   []artifact.Platform{{OS: "linux", Architecture: "amd64", Layers: files}, {OS: "linux", Architecture: "arm64", Layers: files}},
		Config:      v1.Config{User: "65532:65532", Entrypoint: []string{"/program"}},
		Annotations: artifact.Annotations("program", "A program", "1.2.3", "abc", "https://git.example.com/a", time.Unix(0, 0)),
		Created:     time.Unix(0, 0),
	}.Index()
	require.NoError(t, err)
	return index
}

func TestImage(t *testing.T) {
	index := made(t)
	registry := registrytest.Start(t)
	registrytest.Push(t, registry.Name+"/program:1.2.3", index)
	reference, err := name.ParseReference(registry.Name + "/program:1.2.3")
	require.NoError(t, err)
	pushed, err := remote.Index(reference)
	require.NoError(t, err)
	require.NoError(t, validate.Index(pushed))
	digest, err := index.Digest()
	require.NoError(t, err)
	again, err := made(t).Digest()
	require.NoError(t, err)
	require.Equal(t, digest, again, "the same input produces other bytes")

	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	want := map[string]string{
		"org.opencontainers.image.title": "program", "org.opencontainers.image.description": "A program", "org.opencontainers.image.version": "1.2.3",
		"org.opencontainers.image.revision": "abc", "org.opencontainers.image.created": "1970-01-01T00:00:00Z", "org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.source": "https://git.example.com/a",
	}
	require.Equal(t, want, manifest.Annotations)
	require.Equal(t, []v1.Platform{{OS: "linux", Architecture: "amd64"}, {OS: "linux", Architecture: "arm64"}}, []v1.Platform{*manifest.Manifests[0].Platform, *manifest.Manifests[1].Platform})
	image, err := index.Image(manifest.Manifests[1].Digest)
	require.NoError(t, err)
	config, err := image.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, v1.Config{User: "65532:65532", Entrypoint: []string{"/program"}, Labels: want}, config.Config)

	var names []string
	unpacked := mutate.Extract(image)
	defer unpacked.Close()
	for files := tar.NewReader(unpacked); ; {
		header, err := files.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		names = append(names, header.Name)
		require.Equal(t, []int64{0, 0, 0}, []int64{header.ModTime.Unix(), int64(header.Uid), int64(header.Gid)}, header.Name)
	}
	require.ElementsMatch(t, []string{"etc", "etc/ssl", "etc/ssl/ca.crt", "program"}, names)
}

func TestChart(t *testing.T) {
	metadata := &chart.Metadata{Name: "a", Version: "1.2.3", Annotations: map[string]string{"artifacthub.io/license": "Apache-2.0"}}
	image, err := artifact.Chart(metadata, []byte("packed"), nil, map[string]string{"org.opencontainers.image.title": "a"})
	require.NoError(t, err)
	raw, err := image.RawManifest()
	require.NoError(t, err)
	// sha256sum of the two blobs
	require.JSONEq(t, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
		"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","size":84,"digest":"`+digestOf(t, image)+`"},
		"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","size":6,"digest":"sha256:88cb8a087b6e8cebfc9ae5602f5a2159a6bcf923e7f2c56809bcda6cad1727a7"}],
		"annotations":{"artifacthub.io/license":"Apache-2.0","org.opencontainers.image.title":"a"}}`, string(raw))
	packed, err := artifact.PackedChart(image)
	require.NoError(t, err)
	require.Equal(t, "packed", string(packed))
	_, _, found, err := artifact.ReadBundle(image)
	require.NoError(t, err)
	require.False(t, found)
}

func digestOf(t *testing.T, image v1.Image) string {
	t.Helper()
	digest, err := image.ConfigName()
	require.NoError(t, err)
	return digest.String()
}

func TestBundle(t *testing.T) {
	subject := v1.Descriptor{MediaType: "application/vnd.oci.image.index.v1+json", Size: 3, Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("a", 64)}}
	image, err := artifact.Bundle([]byte(`{"a":1}`), "https://slsa.dev/provenance/v1", subject, time.Unix(0, 0))
	require.NoError(t, err)
	content, kind, found, err := artifact.ReadBundle(image)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, `{"a":1}`, string(content))
	require.Equal(t, "https://slsa.dev/provenance/v1", kind)
	manifest, err := image.Manifest()
	require.NoError(t, err)
	require.Equal(t, &subject, manifest.Subject)
	raw, err := image.RawManifest()
	require.NoError(t, err)
	require.Contains(t, string(raw), `"artifactType":"application/vnd.dev.sigstore.bundle.v0.3+json"`)
	_, err = artifact.PackedChart(image)
	require.EqualError(t, err, "it has no layer of type application/vnd.cncf.helm.chart.content.v1.tar+gzip, so it is not a chart")
}
