package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServe(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data") // not there yet
	handler, err := serve(data)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()
	tag, err := name.NewTag(strings.TrimPrefix(server.URL, "http://") + "/a/b:1")
	require.NoError(t, err)
	image, err := random.Image(100, 2)
	require.NoError(t, err)
	require.NoError(t, remote.Write(tag, image))
	pulled, err := remote.Image(tag)
	require.NoError(t, err)
	want, err := image.Digest()
	require.NoError(t, err)
	got, err := pulled.Digest()
	require.NoError(t, err)
	assert.Equal(t, want, got)

	require.NoError(t, os.RemoveAll(data))
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/", nil))
	assert.Equal(t, http.StatusInternalServerError, response.Code)
	assert.Equal(t, "the registry's data is gone: stat "+data+"/blobs: no such file or directory\n", response.Body.String())
}
