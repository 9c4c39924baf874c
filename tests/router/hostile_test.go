package router_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostilePaths returns paths that programs interpret differently.
func hostilePaths() []string {
	return []string{
		"/webhooks/../workflows/api/v1/info",
		"/webhooks/codefresh/../../workflows/api/v1/info",
		"/webhooks/./codefresh/github",
		"/webhooks/codefresh/github/..",
		"/webhooks/codefresh/github/.",
		"/webhooks/codefresh/github/..?x=1",
		"/webhooks/%2e%2e/workflows/api/v1/info",
		"/webhooks/.%2E/workflows/",
		"/webhooks/%252e%252e/workflows/",
		"/webhooks/%25252e%25252e/workflows/",
		"/webhooks/..;/workflows/",
		"/webhooks/..%3b/workflows/",
		"/webhooks/x#/../workflows/",
		"/webhooks/codefresh%2fgithub/push",
		"/webhooks%2F..%2Fworkflows/",
		"/webhooks/codefresh/github%2f..%2f..%2fworkflows",
		"/webhooks/codefresh/github%252f..%252fworkflows",
		`/webhooks/..\workflows/`,
		`/webhooks\codefresh\github`,
		"/webhooks/..%5cworkflows/",
		"/webhooks/%255c/workflows/",
		"//workflows/api/v1/info",
		"/webhooks//codefresh/github",
		"/app-proxy//api",
		"/app-proxy/../workflows/",
		"/app-proxy/..",
		"/healthz/../workflows/",
		"/./app-proxy",
		"/../app-proxy",
		"/workflows/../app-proxy/api",
		"/workflows/%2e%2e/app-proxy",
		"http://other.example.com/webhooks/../workflows/",
		"http://other.example.com//workflows/",
		"/webhooks/codefresh/github/%00/../x",
	}
}

func TestSecurityReview5RouterRefusesAmbiguousPaths(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	assert.Len(t, hostilePaths(), 34, "tests/hostile/README.md contains this number")
	for _, path := range hostilePaths() {
		status, _, err := s.raw(get(path))
		require.NoError(t, err, path)
		assert.Equal(t, http.StatusBadRequest, status, path)
	}
	for _, of := range []*target{s.appProxy, s.workflows, s.events} {
		for _, request := range of.requests() {
			assert.Fail(t, "it reached a target", request.RequestURI)
		}
	}
}

// Requests whose end or host two programs may interpret differently are rejected, or passed on as one request to the target of their path.
func TestRequestsAreNotSmuggled(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	for name, request := range map[string]string{
		"length and chunks":      "POST /app-proxy HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /workflows/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"two lengths":            "POST /app-proxy HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
		"an unknown encoding":    "POST /app-proxy HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"two hosts":              "GET /app-proxy HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
		"no host":                "GET /app-proxy HTTP/1.1\r\n\r\n",
		"a space in a name":      "GET /app-proxy HTTP/1.1\r\nHost: x\r\nContent-Length : 4\r\n\r\nabcd",
		"a method in lower case": "get /app-proxy HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		status, _, err := s.raw(request)
		require.NoError(t, err, name)
		assert.GreaterOrEqual(t, status, 400, name)
		assert.Empty(t, s.appProxy.requests(), name)
		assert.Empty(t, s.workflows.requests(), name)
	}
	status, body, err := s.raw("GET http://127.0.0.1:1/app-proxy/x HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "app-proxy", body, "the target depends on the path, not on a host in the request")
	requests := s.appProxy.requests()
	require.Len(t, requests, 1)
	assert.Equal(t, "/app-proxy/x", requests[0].RequestURI)
}

// second audit, finding 17: any protocol could be upgraded to, and programs saw hosts and paths that strangers wrote
func TestStrangersSayNoHostAndNoProtocol(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	written := []string{
		"Forwarded: for=1.2.3.4;host=evil.example.com;proto=https", "X-Forwarded-Host: evil.example.com", "X-Forwarded-Port: 1", "X-Forwarded-Prefix: /x",
		"X-Forwarded-Server: evil", "X-Forwarded-Uri: /x", "X-Original-URL: /x", "X-Rewrite-URL: /x", "X-Forwarded-Scheme: x", "X-Forwarded-Ssl: on",
		"X-Forwarded-Proto: javascript", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
	}
	for path, of := range map[string]*target{"/app-proxy/x": s.appProxy, "/workflows/x": s.workflows} {
		_, _, err := s.raw(get(path, written...))
		require.NoError(t, err)
		requests := of.requests()
		require.Len(t, requests, 1)
		for _, header := range written {
			name, _, _ := strings.Cut(header, ":")
			switch name {
			case "X-Forwarded-Proto":
				assert.Equal(t, []string{"http"}, requests[0].Header.Values(name), path)
			case "HTTP2-Settings": // means nothing without Upgrade
			default:
				assert.Empty(t, requests[0].Header.Values(name), "%s: %s", path, name)
			}
		}
	}
	_, _, err := s.raw(get("/workflows/a%0ab"))
	require.NoError(t, err)
	requests := s.workflows.requests()
	assert.Equal(t, "/a%0Ab", requests[len(requests)-1].RequestURI, "the prefix is removed")
}

// Credentials for this host are not passed on; signatures of Git providers are.
func TestSecurityReview5EventSourcesGetNoCredentials(t *testing.T) {
	t.Parallel()
	credentials := []string{"Cookie: session=a", "Authorization: Bearer b", "X-Access-Token: c", "Proxy-Authorization: Basic d", "Upgrade: websocket", "Connection: Upgrade"}
	signatures := []string{
		"X-Hub-Signature: sha1=1", "X-Hub-Signature-256: sha256=2", "X-GitHub-Event: push", "X-Gitlab-Token: 3", "X-Gitlab-Event: Push Hook",
		"X-Event-Key: repo:push", "X-Hook-UUID: 4", "X-Gitea-Signature: 5", "X-Gogs-Signature: 6", "X-Slack-Signature: v0=7", "X-Slack-Request-Timestamp: 8",
	}
	for name, test := range map[string]struct {
		set           map[string]string
		authorization string
	}{
		"by default":                 {nil, ""},
		"Authorization by its value": {map[string]string{"internal-router.webhooks.forwardAuthorization": "true"}, "Bearer b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, test.set, nil)
			request := strings.Replace(get("/webhooks/other/far/push", slices.Concat(credentials, signatures)...), "Connection: close\r\n", "", 1)
			response, err := s.exchange(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, http.StatusOK, response.StatusCode)
			assert.Empty(t, response.Header.Values("Set-Cookie"), "a tenant's program set a cookie of this host")
			requests := s.events.requests()
			require.Len(t, requests, 1)
			got := requests[0].Header
			for _, header := range []string{"Cookie", "X-Access-Token", "Proxy-Authorization", "Upgrade"} {
				assert.Empty(t, got.Values(header), header)
			}
			assert.Equal(t, test.authorization, got.Get("Authorization"))
			for _, header := range signatures {
				key, value, _ := strings.Cut(header, ": ")
				assert.Equal(t, value, got.Get(key), key)
			}
		})
	}
}

// Webhooks reach the namespaces that a value allows; a runtime that is limited to its namespace reaches only that one, whatever the value. The name
// of another namespace is not even resolved.
func TestSecurityReview5WebhooksReachAllowedNamespacesOnly(t *testing.T) {
	t.Parallel()
	const own, other = "/webhooks/codefresh/github/push", "/webhooks/other/far/push"
	for _, test := range []struct {
		name       string
		set        map[string]string
		namespaces string
		reached    []string
	}{
		{"by default", nil, `["*"]`, []string{own, other}},
		{"a list", nil, `["codefresh","third"]`, []string{own}},
		{"none", nil, `[]`, nil},
		{"one namespace", map[string]string{"global.runtime.singleNamespace": "true"}, `["*"]`, []string{own}},
		{"one namespace and a list", map[string]string{"global.runtime.singleNamespace": "true"}, `["other"]`, []string{own}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, test.set, map[string]string{"internal-router.webhooks.namespaces": test.namespaces})
			for _, path := range []string{own, other, "/webhooks/codefreshx/github", "/webhooks/xcodefresh/github"} {
				want := http.StatusNotFound
				if slices.Contains(test.reached, path) {
					want = http.StatusOK
				} else if test.namespaces == `["*"]` && test.set == nil {
					want = http.StatusBadGateway // this Service does not exist
				}
				status, _, err := s.raw(get(path))
				require.NoError(t, err, path)
				assert.Equal(t, want, status, path)
			}
			resolved := slices.ContainsFunc(s.names.questions(), func(name string) bool { return strings.Contains(name, ".other.") })
			assert.Equal(t, slices.Contains(test.reached, other), resolved)
		})
	}
}
