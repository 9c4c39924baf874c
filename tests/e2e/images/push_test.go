package images

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/registry/registrytest"
)

func TestPushSendsEachImageOnce(t *testing.T) {
	ctx := context.Background()
	catalog := small(t, nil)
	catalog.transport = http.DefaultTransport
	_, err := catalog.Ensure(ctx, []string{helloImage}, nil)
	require.NoError(t, err)

	var sent atomic.Int32
	made := registrytest.Start(t)
	made.Failing(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			sent.Add(1)
		}
		return false
	})
	host := made.Name
	pairs := []Pair{{Source: helloImage, Target: "private:5000/registry.test/hello:1"}}

	seen := &steps{}
	require.NoError(t, catalog.Push(ctx, pairs, host, seen))
	assert.Equal(t, []string{"images: push 1 to the registry at " + host}, seen.ended)
	target, err := name.NewTag(host+"/registry.test/hello:1", name.Insecure)
	require.NoError(t, err)
	there, err := remote.Image(target)
	require.NoError(t, err)
	want, err := catalog.Digest(ctx, helloImage)
	require.NoError(t, err)
	got, err := there.Digest()
	require.NoError(t, err)
	assert.Equal(t, want, got.String())

	first := sent.Load()
	require.NoError(t, catalog.Push(ctx, pairs, host, nil))
	assert.Equal(t, first, sent.Load(), "a second push sends nothing")
}

func TestPushErrors(t *testing.T) {
	ctx, catalog := context.Background(), small(t, nil)
	tests := map[string]struct {
		pair Pair
		want string
	}{
		"a target without a registry": {
			Pair{helloImage, "hello"}, `the target "hello" names no registry: give host:port/name:tag`,
		},
		"not at hand": {
			Pair{helloImage, "private:5000/hello:1"}, "registry.test/hello:1 is not in the cache yet: run `make install`",
		},
		"not in the catalog": {
			Pair{"nginx:1", "private:5000/nginx:1"}, "the catalog has no row for nginx:1",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := catalog.Push(ctx, []Pair{test.pair}, "127.0.0.1:1", nil)
			assert.ErrorContains(t, err, "images: push "+test.pair.Source+" to 127.0.0.1:1 as "+test.pair.Target+": ")
			assert.ErrorContains(t, err, test.want)
		})
	}
	_, err := catalog.Ensure(ctx, []string{helloImage}, nil)
	require.NoError(t, err)
	assert.ErrorContains(t, catalog.Push(ctx, []Pair{{helloImage, "private:5000/hello:1"}}, "127.0.0.1:1", nil), "no network")
}
