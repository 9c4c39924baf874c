package mirror_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
)

// host is a registry in this process that counts and can be made to fail.
type host struct {
	name string
	mu   sync.Mutex
	// uploads counts finished uploads by blob digest.
	uploads map[string]int
	// fail may answer a request itself and returns true if it did.
	fail func(http.ResponseWriter, *http.Request) bool
}

func startHost(t *testing.T) *host {
	t.Helper()
	h := &host{uploads: map[string]int{}}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		fail := h.fail
		if digest := r.URL.Query().Get("digest"); r.Method == http.MethodPut && digest != "" {
			defer func() { h.count(digest) }()
		}
		h.mu.Unlock()
		if fail != nil && fail(w, r) {
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.name = strings.TrimPrefix(server.URL, "http://")
	return h
}

func (h *host) count(digest string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.uploads[digest]++
}

// failing sets what fails from now on.
func (h *host) failing(fail func(http.ResponseWriter, *http.Request) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fail = fail
}

// twice lists the blobs that were uploaded more than once.
func (h *host) twice() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for digest, count := range h.uploads {
		if count > 1 {
			all = append(all, digest)
		}
	}
	return all
}

// fill pushes a number of two-platform images that share a layer and returns
// the pairs that send them to another host.
func fill(t *testing.T, from, to *host, count int) []mapping.Pair {
	t.Helper()
	var pairs []mapping.Pair
	for i := range count {
		source := fmt.Sprintf("%s/team/app-%02d:v1", from.name, i)
		push(t, source, list(t, fmt.Sprintf("image %d", i)))
		pairs = append(pairs, mapping.Pair{Source: source, Target: fmt.Sprintf("%s/%s/team/app-%02d:v1", to.name, "mirror", i)})
	}
	return pairs
}

func push(t *testing.T, reference string, content remote.Taggable) {
	t.Helper()
	ref, err := name.ParseReference(reference)
	require.NoError(t, err)
	require.NoError(t, remote.Push(ref, content))
}

// list makes an image for two platforms.
func list(t *testing.T, content string) v1.ImageIndex {
	t.Helper()
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, architecture := range []string{"amd64", "arm64"} {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image(t, content+" "+architecture),
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
		})
	}
	return index
}

func image(t *testing.T, content string) v1.Image {
	t.Helper()
	shared := static.NewLayer([]byte("a layer that all images share"), types.OCILayer)
	own := static.NewLayer([]byte(content), types.OCILayer)
	made, err := mutate.AppendLayers(empty.Image, shared, own)
	require.NoError(t, err)
	return made
}

// digestAt is the digest at a reference, empty when nothing is there.
func digestAt(t *testing.T, reference string) string {
	t.Helper()
	ref, err := name.ParseReference(reference)
	require.NoError(t, err)
	found, err := remote.Head(ref)
	if err != nil {
		return ""
	}
	return found.Digest.String()
}
