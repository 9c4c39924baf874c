package publish_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/verify"
	"gitops-runtime/internal/registry/registrytest"
)

// copyTo copies every artifact of the release, and what is attached to it, to another place of the registry.
func (w *world) copyTo(t *testing.T, place string) {
	t.Helper()
	for _, path := range w.manifests(t) {
		require.NoError(t, crane.Copy(w.publisher.Registry+"/"+path, place+"/"+path))
	}
}

// manifests returns the references below the registry of all artifacts of the release, and of what refers to them.
func (w *world) manifests(t *testing.T) []string {
	t.Helper()
	var found []string
	all, _, err := w.publish(t)
	require.NoError(t, err)
	for _, one := range all {
		reference, digest, _ := strings.Cut(strings.TrimPrefix(one, w.publisher.Registry+"/"), "@")
		repository, _, _ := strings.Cut(reference, ":")
		found = append(found, reference)
		subject, err := name.NewDigest(w.publisher.Registry + "/" + repository + "@" + digest)
		require.NoError(t, err)
		index, err := remote.Referrers(subject)
		require.NoError(t, err)
		listed, err := index.IndexManifest()
		require.NoError(t, err)
		for _, bundle := range listed.Manifests {
			found = append(found, repository+"@"+bundle.Digest.String())
		}
	}
	return found
}

// What signatures alone do not prove: where, from which commit and by whom the release was published.
func TestVerifyComparesWhatWasAskedFor(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.publish(t)
	require.NoError(t, err)
	copied := w.Name + "/staging"
	w.copyTo(t, copied)
	commit := w.publisher.Source.Revision
	for title, test := range map[string]struct {
		expected verify.Verifier
		want     string
	}{
		"as it was published":        {verify.Verifier{Commit: commit, Builder: "urn:test"}, ""},
		"a copy elsewhere":           {verify.Verifier{Registry: copied}, "its signature is about " + w.publisher.Registry + "/tunnel-server, not about " + copied + "/tunnel-server; --from names the place that a copy was made from"},
		"a copy of a named place":    {verify.Verifier{Registry: copied, From: w.publisher.Registry, Commit: commit}, ""},
		"a copy of another place":    {verify.Verifier{Registry: copied, From: w.Name + "/other"}, "its signature is about " + w.publisher.Registry + "/tunnel-server, not about " + w.Name + "/other/tunnel-server; --from names the place that a copy was made from"},
		"another commit":             {verify.Verifier{Commit: strings.Repeat("b", 40)}, "the provenance names the commit " + commit + " instead of " + strings.Repeat("b", 40) + "; check out the commit that was released, or name it with --commit"},
		"another builder":            {verify.Verifier{Commit: commit, Builder: "urn:other"}, `the provenance names the builder "urn:test" instead of urn:other; --builder names the one that you trust`},
		"uncommitted is not implied": {verify.Verifier{Commit: commit, Dirty: true}, ""},
	} {
		t.Run(title, func(t *testing.T) {
			w.expected = test.expected
			defects, err := w.verify(t)
			if test.want == "" {
				require.NoError(t, err, defects)
				return
			}
			require.ErrorContains(t, err, "6 of 6 images and charts")
			require.Contains(t, defects["tunnel-server:"+w.publisher.Version], test.want)
		})
	}
}

func TestUncommittedContentNamesNoCommit(t *testing.T) {
	w := newWorld(t)
	w.publisher.Source.Dirty = true
	_, _, err := w.publish(t)
	require.NoError(t, err)
	defects, err := w.verify(t)
	require.ErrorContains(t, err, "6 of 6 images and charts")
	require.Equal(t, []string{"it was published with --dirty, so no commit has its content; --allow-dirty accepts that"}, defects["argo-events:"+w.publisher.Version])
	index, err := remote.Index(w.at(t, "image-override"))
	require.NoError(t, err)
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	require.Equal(t, w.publisher.Source.Revision+"-dirty", manifest.Annotations["org.opencontainers.image.revision"])
	w.expected = verify.Verifier{Dirty: true, Commit: strings.Repeat("b", 40)}
	_, err = w.verify(t)
	require.NoError(t, err)
}

// at returns the reference of an artifact of the release.
func (w *world) at(t *testing.T, named string) name.Reference {
	t.Helper()
	parsed, err := name.ParseReference(w.publisher.Registry + "/" + named + ":" + w.publisher.Version)
	require.NoError(t, err)
	return parsed
}

// The content of an artifact without valid signatures is not read.
func TestUnsignedContentIsNotRead(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.publish(t)
	require.NoError(t, err)
	layer := static.NewLayer(bytes.Repeat([]byte("a"), 1<<20), "application/vnd.cncf.helm.chart.content.v1.tar+gzip")
	forged, err := mutate.AppendLayers(empty.Image, layer)
	require.NoError(t, err)
	registrytest.Push(t, w.publisher.Registry+"/argo-events:"+w.publisher.Version, forged)
	digest, err := layer.Digest()
	require.NoError(t, err)
	reads := 0
	w.failing(func(_ http.ResponseWriter, request *http.Request) bool {
		if request.Method == http.MethodGet && strings.HasSuffix(request.URL.Path, "/blobs/"+digest.String()) {
			reads++
		}
		return false
	})
	defects, err := w.verify(t)
	require.ErrorContains(t, err, "1 of 6 images and charts")
	require.Len(t, defects["argo-events:"+w.publisher.Version], 3)
	require.Zero(t, reads)
}

func TestAReleaseWithoutItsImagesIsRefused(t *testing.T) {
	w := newWorld(t)
	w.publisher.Charts = []string{"argo-events", "tunnel-server"}
	_, _, err := w.publish(t)
	require.NoError(t, err)
	_, err = w.verify(t)
	require.EqualError(t, err, "no chart at "+w.publisher.Registry+" references an image of the release, so that nothing was verified of what the charts install; do not install them")
}

func TestReferrersAreBounded(t *testing.T) {
	w := newWorld(t)
	w.publisher.Charts = []string{"gitops-runtime", "tunnel-server"}
	_, _, err := w.publish(t)
	require.NoError(t, err)
	subject, err := remote.Head(w.at(t, "tunnel-server"))
	require.NoError(t, err)
	for i := range 98 {
		image, err := mutate.AppendLayers(empty.Image, static.NewLayer([]byte{byte(i)}, "application/octet-stream"))
		require.NoError(t, err)
		referring, is := mutate.Subject(image, v1.Descriptor{MediaType: subject.MediaType, Digest: subject.Digest, Size: subject.Size}).(v1.Image)
		require.True(t, is)
		digest, err := referring.Digest()
		require.NoError(t, err)
		require.NoError(t, remote.Write(w.at(t, "tunnel-server").Context().Digest(digest.String()), referring))
	}
	_, err = w.verify(t)
	require.ErrorContains(t, err, "101 artifacts refer to "+w.publisher.Registry+"/tunnel-server@"+subject.Digest.String()+", and a release has three: at most 100 are read; delete those that do not belong to it")
}
