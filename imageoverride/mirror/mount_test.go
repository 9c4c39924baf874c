package mirror_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// withoutMounts makes a registry start an upload instead of mounting a blob from another repository, as the
// distribution specification allows, and reject the first upload of each blob to each repository.
func withoutMounts(refuse func(http.ResponseWriter)) (fault registrytest.Fault, refused func() int) {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(w http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		if r.Method == http.MethodPost {
			query.Del("mount")
			query.Del("from")
			r.URL.RawQuery = query.Encode()
			return false
		}
		if r.Method != http.MethodPut || query.Get("digest") == "" {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		repository := filepath.Dir(filepath.Dir(r.URL.Path))
		if seen[repository+query.Get("digest")] {
			return false
		}
		seen[repository+query.Get("digest")] = true
		_, _ = io.Copy(io.Discard, r.Body)
		refuse(w)
		return true
	}, func() int { mu.Lock(); defer mu.Unlock(); return len(seen) }
}

// TestRegistriesWithoutMounts: a registry that does not mount blobs from other repositories receives every blob in every repository, and each
// rejected upload is repeated completely.
func TestRegistriesWithoutMounts(t *testing.T) {
	const images = 3
	for name, refuse := range map[string]func(http.ResponseWriter){
		"each upload arrives damaged once": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"errors":[{"code":"DIGEST_INVALID","message":"provided digest did not match uploaded content"}]}`)
		},
		"each upload is answered 429 once": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
	} {
		t.Run(name, func(t *testing.T) {
			from, to := registrytest.Start(t), registrytest.Start(t)
			pairs := mirrortest.Fill(t, from, to, images, 0)
			fault, refused := withoutMounts(refuse)
			to.Failing(fault)
			outcomes, err := copyAll(t, context.Background(), filepath.Join(t.TempDir(), "journal"), pairs)
			require.NoError(t, err)
			assert.Equal(t, map[mirror.Outcome]int{mirror.Copied: images}, outcomes)
			assert.Len(t, to.Twice(), 1, "the shared layer is not uploaded to each repository")
			total := 0
			for digest, count := range to.Uploads() {
				total += count
				assert.Contains(t, []int{1, images}, count, digest)
			}
			assert.Equal(t, total, refused(), "the blobs of each repository are not uploaded again once")
			to.Failing(nil)
			locked, err := mirror.Lock(context.Background(), registry.Access{Pause: pause}, pairs, 2, false)
			require.NoError(t, err)
			defects, err := mirror.Check(context.Background(), registry.Access{Pause: pause}, locked, 2, false)
			require.NoError(t, err)
			assert.Empty(t, defects)
		})
	}
}
