package reach_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images/reach"
)

func registry(t *testing.T, answer http.HandlerFunc) (*httptest.Server, string) {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	return server, strings.TrimPrefix(server.URL, "https://")
}

func TestAnyAnswerCountsAndIsRemembered(t *testing.T) {
	var requests atomic.Int32
	server, host := registry(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		assert.Equal(t, "/v2/", r.URL.Path)
		w.WriteHeader(http.StatusUnauthorized)
	})
	prober := reach.New(server.Client().Transport, time.Second)
	for range 3 {
		require.NoError(t, prober.Host(context.Background(), host))
	}
	assert.Equal(t, int32(1), requests.Load())
}

func TestSilenceEndsAtTheLimit(t *testing.T) {
	release := make(chan struct{})
	server, host := registry(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	prober := reach.New(server.Client().Transport, 30*time.Millisecond)
	assert.ErrorIs(t, prober.Host(context.Background(), host), context.DeadlineExceeded)
}

func TestNoServer(t *testing.T) {
	server, host := registry(t, nil)
	transport := server.Client().Transport
	server.Close()
	assert.ErrorContains(t, reach.New(transport, time.Second).Host(context.Background(), host), "connect")
}

func TestInvalidHost(t *testing.T) {
	assert.ErrorContains(t, reach.New(nil, time.Second).Host(context.Background(), "a b"), "invalid character")
}
