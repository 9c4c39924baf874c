package router_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every path reaches, unchanged, the target that the published runtime routes it to.
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	for _, test := range []struct{ path, body, arrives string }{
		{"/app-proxy", "app-proxy", "/app-proxy"},
		{"/app-proxy/api/graphql?query=a//b/../c", "app-proxy", "/app-proxy/api/graphql?query=a//b/../c"},
		{"/app-proxy/a%20b", "app-proxy", "/app-proxy/a%20b"},
		{"/app-proxy/.well-known/x..y/...z", "app-proxy", "/app-proxy/.well-known/x..y/...z"},
		{"/workflows/", "workflows", "/"},
		{"/workflows/api/v1/info", "workflows", "/api/v1/info"},
		{"/webhooks/codefresh/github", "events", "/webhooks/codefresh/github"},
		{"/webhooks/codefresh/github/push?x=%2F", "events", "/webhooks/codefresh/github/push?x=%2F"},
		{"/webhooks/other/far/push", "events", "/webhooks/other/far/push"},
	} {
		status, body, err := s.raw(get(test.path))
		require.NoError(t, err, test.path)
		assert.Equal(t, http.StatusOK, status, test.path)
		assert.Equal(t, test.body, body, test.path)
		var arrived []string
		for _, of := range []*target{s.appProxy, s.workflows, s.events} {
			for _, request := range of.requests() {
				arrived = append(arrived, request.RequestURI)
			}
		}
		assert.Equal(t, []string{test.arrives}, arrived, test.path)
	}
	for path, want := range map[string]int{
		"/": 404, "/other": 404, "/healthz": 200, "/readyz": 200, "/webhooks": 404, "/webhooks/codefresh": 404,
		"/webhooks/a.b/github": 404, "/webhooks/codefresh/kube-dns.kube-system": 404,
	} {
		status, _, err := s.raw(get(path))
		require.NoError(t, err, path)
		assert.Equal(t, want, status, path)
	}
	response, err := s.exchange(get("/workflows"))
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusMovedPermanently, response.StatusCode)
	assert.Equal(t, "/workflows/", response.Header.Get("Location"))
}

// Targets receive their own name as the host, as with the published router, and the address of the client.
func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	_, _, err := s.raw(get("/app-proxy/x", "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "Cookie: session=a", "Authorization: Bearer b"))
	require.NoError(t, err)
	requests := s.appProxy.requests()
	require.Len(t, requests, 1)
	assert.Equal(t, "cap-app-proxy.codefresh.svc.cluster.local:"+s.appProxy.port(), requests[0].Host)
	assert.Equal(t, "192.0.2.1, 127.0.0.1", requests[0].Header.Get("X-Forwarded-For"))
	assert.Equal(t, "https", requests[0].Header.Get("X-Forwarded-Proto"))
	assert.Equal(t, "session=a", requests[0].Header.Get("Cookie"))
	assert.Equal(t, "Bearer b", requests[0].Header.Get("Authorization"))
}

// While app-proxy is unavailable, browsers on the platform's pages get a 502 that they may read, and a preflight 204; others get no permission.
func TestAwayAnswersWithCORS(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	s.appProxy.Close()
	for _, test := range []struct {
		method, origin, body, allowed string
		status                        int
	}{
		{"GET", "https://g.codefresh.io", `{"error":"the target of this route is away"}`, "https://g.codefresh.io", 502},
		{"POST", "https://other.example.com", `{"error":"the target of this route is away"}`, "", 502},
		{"OPTIONS", "https://g.codefresh.io", "", "https://g.codefresh.io", 204},
		{"OPTIONS", "https://other.example.com", "", "", 204},
	} {
		response, err := s.exchange(strings.Replace(get("/app-proxy/api/graphql", "Origin: "+test.origin), "GET", test.method, 1))
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		where := test.method + " from " + test.origin
		assert.Equal(t, test.status, response.StatusCode, where)
		assert.Equal(t, test.body, string(body), where)
		assert.Equal(t, test.allowed, response.Header.Get("Access-Control-Allow-Origin"), where)
		assert.Equal(t, "true", response.Header.Get("Access-Control-Allow-Credentials"), where)
		assert.Equal(t, "GET,HEAD,PUT,PATCH,POST,DELETE", response.Header.Get("Access-Control-Allow-Methods"), where)
		assert.Equal(t, "content-type,x-access-token", response.Header.Get("Access-Control-Allow-Headers"), where)
	}
}

// Without DNS, the chart's own targets are reached at their known addresses; event sources, which may have moved, are not.
func TestTargetsOfTheChartWorkWithoutDNS(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	paths := []string{"/app-proxy/api", "/workflows/api", "/webhooks/codefresh/github"}
	for _, path := range paths {
		status, _, err := s.raw(get(path))
		require.NoError(t, err, path)
		assert.Equal(t, http.StatusOK, status, path)
	}
	s.names.goAway()
	time.Sleep(6 * time.Second) // nginx caches addresses of event sources for five seconds
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusBadGateway} {
		status, _, err := s.raw(get(paths[i]))
		require.NoError(t, err, paths[i])
		assert.Equal(t, want, status, paths[i])
	}
}

// The origins are those of app-proxy's setting cors.
func TestCORSIsThatOfAppProxy(t *testing.T) {
	t.Parallel()
	s := start(t, nil, map[string]string{"app-proxy.config.cors": `"https://one.example.com,https://two.example.com"`})
	s.appProxy.Close()
	for origin, allowed := range map[string]string{"https://two.example.com": "https://two.example.com", "https://g.codefresh.io": ""} {
		response, err := s.exchange(get("/app-proxy", "Origin: "+origin))
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, allowed, response.Header.Get("Access-Control-Allow-Origin"))
	}
}

// Events of running workflows arrive while the response is still open.
func TestStreamsAreNotBuffered(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	response, err := s.exchange(get("/workflows/api/v1/stream"))
	require.NoError(t, err)
	defer response.Body.Close()
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "data: first\n", line)
}

func TestWebSocketsPass(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	for _, path := range []string{"/app-proxy/socket", "/workflows/socket"} {
		connection, err := net.DialTimeout("tcp", s.address, time.Second)
		require.NoError(t, err)
		require.NoError(t, connection.SetDeadline(time.Now().Add(10*time.Second)))
		_, err = io.WriteString(connection, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		require.NoError(t, err)
		reader := bufio.NewReader(connection)
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusSwitchingProtocols, response.StatusCode, path)
		_, err = io.WriteString(connection, "hello\n")
		require.NoError(t, err)
		echo, err := reader.ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "hello\n", echo, path)
		require.NoError(t, connection.Close())
	}
}

// Without publishWorkflows the path is unknown, like any other.
func TestWorkflowsAreNotPublished(t *testing.T) {
	t.Parallel()
	s := start(t, map[string]string{"global.runtime.publishWorkflows": "false"}, nil)
	for _, path := range []string{"/workflows", "/workflows/", "/workflows/api/v1/info"} {
		status, _, err := s.raw(get(path))
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, status, path)
	}
	assert.Empty(t, s.workflows.requests())
}
