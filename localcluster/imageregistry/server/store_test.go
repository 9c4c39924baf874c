package server

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serve opens the registry of a directory and returns a function that parses references to it.
func serve(t *testing.T, dir string) func(string) name.Reference {
	t.Helper()
	handler, err := Open(dir)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return func(reference string) name.Reference {
		parsed, err := name.ParseReference(strings.TrimPrefix(server.URL, "http://") + "/" + reference)
		require.NoError(t, err)
		return parsed
	}
}

func digest(t *testing.T, image interface{ Digest() (v1.Hash, error) }) v1.Hash {
	t.Helper()
	d, err := image.Digest()
	require.NoError(t, err)
	return d
}

func TestARestartLosesNothing(t *testing.T) {
	dir := t.TempDir()
	image, err := random.Image(100, 2)
	require.NoError(t, err)
	index, err := random.Index(100, 1, 2)
	require.NoError(t, err)

	before := serve(t, dir)
	require.NoError(t, remote.Write(before("quay.io/team/app:v1"), image))
	require.NoError(t, remote.WriteIndex(before("quay.io/team/app:all"), index))

	after := serve(t, dir)
	got, err := remote.Image(after("quay.io/team/app:v1"))
	require.NoError(t, err)
	assert.Equal(t, digest(t, image), digest(t, got))
	layers, err := got.Layers()
	require.NoError(t, err)
	for _, layer := range layers {
		content, err := layer.Compressed()
		require.NoError(t, err)
		require.NoError(t, content.Close())
	}
	gotIndex, err := remote.Index(after("quay.io/team/app:all"))
	require.NoError(t, err)
	assert.Equal(t, digest(t, index), digest(t, gotIndex))
}

func TestADeletedTagStaysDeleted(t *testing.T) {
	dir := t.TempDir()
	image, err := random.Image(10, 1)
	require.NoError(t, err)
	before := serve(t, dir)
	require.NoError(t, remote.Write(before("app:v1"), image))
	require.NoError(t, remote.Delete(before("app:v1")))
	_, err = remote.Image(serve(t, dir)("app:v1"))
	assert.ErrorContains(t, err, "NAME_UNKNOWN")
}

func TestARefusedManifestIsNotKept(t *testing.T) {
	dir := t.TempDir()
	handler, err := Open(dir)
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodPut, "/v2/app/manifests/v1", strings.NewReader("no JSON"))
	request.Header.Set("Content-Type", "application/vnd.oci.image.index.v1+json")
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	assert.Equal(t, http.StatusBadRequest, response.Code)
	kept, err := os.ReadDir(filepath.Join(dir, "manifests"))
	require.NoError(t, err)
	assert.Empty(t, kept)
}

func TestOpenNamesABrokenFile(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "manifests", "a.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(broken), 0o700))
	require.NoError(t, os.WriteFile(broken, []byte("{"), 0o600))
	_, err := Open(dir)
	assert.EqualError(t, err, broken+": unexpected end of JSON input")
}

func TestManifestPath(t *testing.T) {
	for path, want := range map[string][3]string{
		"/v2/app/manifests/v1":                         {"app", "v1", "manifest"},
		"/v2/quay.io/manifests/app/manifests/sha256:1": {"quay.io/manifests/app", "sha256:1", "manifest"},
		"/v2/manifests/v1":                             {},
		"/v2/app/blobs/sha256:1":                       {},
		"/v2/":                                         {},
		"/":                                            {},
	} {
		repository, reference, found := manifestPath(path)
		got := [3]string{repository, reference}
		if found {
			got[2] = "manifest"
		}
		assert.Equal(t, want, got, path)
	}
}
