package front_test

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/websocket"

	"gitops-runtime/localcluster/standin/front"
)

func TestParseRoute(t *testing.T) {
	t.Parallel()
	target := func(host string) *url.URL { return &url.URL{Scheme: "http", Host: host} }
	tests := map[string]struct {
		text   string
		route  front.Route
		reason string
	}{
		"host":          {"Platform.example.com=http://a:80", front.Route{Host: "platform.example.com", Target: target("a:80")}, ""},
		"host and path": {"*/~!frp=http://frps:7000", front.Route{Host: "*", Path: "/~!frp", Target: target("frps:7000")}, ""},
		"wildcard":      {"*.tunnels.local=http://frps:8080", front.Route{Host: "*.tunnels.local", Target: target("frps:8080")}, ""},
		"no target":     {"host", front.Route{}, `the route "host" is not of the form HOST[/PATH]=URL`},
		"no host":       {"/path=http://a", front.Route{}, `the route "/path=http://a" has no host; write * for every host`},
		"bad target":    {"host=a:80", front.Route{}, `the route "host=a:80" has the target "a:80", which is not an http or https URL`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			route, err := front.ParseRoute(test.text)
			if test.reason != "" {
				require.EqualError(t, err, test.reason)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.route, route)
		})
	}
}

// named starts a server that responds with its name and the host and path of the request, and returns its URL.
func named(t *testing.T, name string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, name+" "+r.Host+r.RequestURI+" for "+r.Header.Get("X-Forwarded-Host"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func start(t *testing.T, routes ...string) *httptest.Server {
	t.Helper()
	var parsed []front.Route
	for _, text := range routes {
		route, err := front.ParseRoute(text)
		require.NoError(t, err)
		parsed = append(parsed, route)
	}
	server := httptest.NewServer(front.New(slog.New(slog.DiscardHandler), parsed...))
	t.Cleanup(server.Close)
	return server
}

func TestRouting(t *testing.T) {
	t.Parallel()
	server := start(t, "*/~!frp="+named(t, "frps"), "*.tunnels.local="+named(t, "tunnels"), "platform.local/api/="+named(t, "api"),
		"platform.local="+named(t, "platform"), "away.local=http://127.0.0.1:1")
	tests := map[string]struct {
		host, path string
		status     int
		reply      string
	}{
		"tunnel's control path": {"any.local", "/~!frp", 200, "frps any.local/~!frp for any.local"},
		"name under a wildcard": {"acc1-local.tunnels.local:8443", "/app-proxy?a=b", 200, "tunnels acc1-local.tunnels.local:8443/app-proxy?a=b for acc1-local.tunnels.local:8443"},
		"upper case":            {"ACC1-local.Tunnels.local", "/", 200, "tunnels ACC1-local.Tunnels.local/ for ACC1-local.Tunnels.local"},
		"the wildcard's domain": {"tunnels.local", "/", 404, "{\n  \"message\": \"no route for the host \\\"tunnels.local\\\" and the path \\\"/\\\"\"\n}\n"},
		"prefix":                {"platform.local", "/api/x%2Fy", 200, "api platform.local/api/x%2Fy for platform.local"},
		"rest of a host":        {"platform.local", "/apis", 200, "platform platform.local/apis for platform.local"},
		"target away":           {"away.local", "/", 502, "{\n  \"message\": \"the target of this route does not answer\"\n}\n"},
		"health":                {"away.local", "/front/healthz", 200, "ok\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+test.path, nil)
			require.NoError(t, err)
			request.Host = test.host
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, test.status, response.StatusCode)
			require.Equal(t, test.reply, string(body))
		})
	}
}

// frpc dials wss, upgrades at /~!frp and then uses its own protocol on the WebSocket, which must reach frps unchanged.
func TestWebSocket(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/~!frp", websocket.Handler(func(connection *websocket.Conn) { _, _ = io.Copy(connection, connection) }))
	target := httptest.NewServer(mux)
	t.Cleanup(target.Close)
	server := start(t, "*/~!frp="+target.URL)
	connection, err := websocket.Dial("ws"+strings.TrimPrefix(server.URL, "http")+"/~!frp", "", "http://localhost")
	require.NoError(t, err)
	_, err = io.WriteString(connection, "hello")
	require.NoError(t, err)
	answer := make([]byte, 5)
	_, err = io.ReadFull(connection, answer)
	require.NoError(t, err)
	require.Equal(t, "hello", string(answer))
	require.NoError(t, connection.Close())
}

// An event stream's first event arrives while the stream is open.
func TestEventStream(t *testing.T) {
	t.Parallel()
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: first\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(target.Close)
	server := start(t, "*="+target.URL)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "data: first\n", line)
	require.NoError(t, response.Body.Close())
}
