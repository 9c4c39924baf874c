//go:build e2e

package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// awayAndBack checks that while app-proxy is unavailable, internal-router reports it immediately, in a way that browsers may read; when it is
// available again, the same router finds it.
func (e *environment) awayAndBack(t *testing.T) {
	router := e.pods(t, "app.kubernetes.io/name=internal-router")
	require.NotEmpty(t, router)
	a := e.access(t, images.Tunnel)
	hello := request{path: "/app-proxy/hello", header: map[string]string{"Origin": "https://" + install.PlatformHost}}

	e.scale(t, install.Namespace, "cap-app-proxy", 0)
	t.Cleanup(func() {
		if t.Failed() {
			e.scale(t, install.Namespace, "cap-app-proxy", 1)
		}
	})
	begun := time.Now()
	away := a.answer(t, http.StatusBadGateway, 10*time.Second, hello)
	took := time.Since(begun)
	t.Logf("502 after %s", took.Round(time.Millisecond))
	assert.Less(t, took, 4*time.Second)
	assert.Equal(t, "https://"+install.PlatformHost, away.header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "true", away.header.Get("Access-Control-Allow-Credentials"))
	assert.JSONEq(t, `{"error":"the target of this route is away"}`, string(away.body))
	foreign, err := a.ask(t.Context(), request{path: "/app-proxy/hello", header: map[string]string{"Origin": "https://other.example.com"}})
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, foreign.status)
	assert.Empty(t, foreign.header.Get("Access-Control-Allow-Origin"))

	e.scale(t, install.Namespace, "cap-app-proxy", 1)
	back := a.answer(t, http.StatusOK, 30*time.Second, hello)
	assert.Equal(t, "https://"+install.PlatformHost, back.header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, router, e.pods(t, "app.kubernetes.io/name=internal-router"), "the router was replaced or restarted")
}

// ambiguousPaths checks that paths that two hops may interpret differently get 400, or 404 if a hop before the router changed them; no target
// responds.
func (a access) ambiguousPaths(t *testing.T) {
	for _, path := range []string{
		"/webhooks/../workflows/api/v1/info", "/webhooks/%2e%2e/workflows/api/v1/info", "/webhooks/codefresh%2fx/..%2f..%2fworkflows/api/v1/info",
		"/webhooks//workflows/api/v1/info", "/webhooks/x/..%5c..%5cworkflows/api/v1/info", "/app-proxy/%252e%252e/workflows/api/v1/info",
	} {
		got, err := a.ask(t.Context(), request{path: path})
		require.NoError(t, err, path)
		if a.mode == images.Tunnel {
			assert.Equal(t, http.StatusBadRequest, got.status, path)
			continue
		}
		assert.GreaterOrEqual(t, got.status, http.StatusBadRequest, "%s: %s", path, got.body)
	}
}
