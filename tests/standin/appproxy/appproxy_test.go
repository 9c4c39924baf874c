package appproxy_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/websocket"

	"gitops-runtime/tests/standin/appproxy"
)

func TestReplies(t *testing.T) {
	t.Parallel()
	const origin = "https://g.codefresh.io"
	type headers = map[string]string
	tests := map[string]struct {
		cors, method, path, body string
		given                    headers
		status                   int
		reply                    string
		headers                  headers
	}{
		"health": {"", "GET", "/api/healthz", "", nil, 200, "ok\n", headers{"X-Stand-In": "app-proxy"}},
		"ready":  {"", "GET", "/api/readyz", "", nil, 200, "ok\n", nil},
		"echo": {"", "POST", "/app-proxy/api/graphql?a=b", "hello", headers{"Authorization": "secret", "Cookie": "secret", "X-Other": "seen"}, 200, `{
  "standIn": "app-proxy",
  "method": "POST",
  "host": "example.com",
  "path": "/app-proxy/api/graphql",
  "query": "a=b",
  "headers": {
    "Authorization": [
      "(redacted)"
    ],
    "Cookie": [
      "(redacted)"
    ],
    "X-Other": [
      "seen"
    ]
  },
  "bodyBytes": 5
}
`, headers{"X-Stand-In": "app-proxy", "Content-Type": "application/json", "Access-Control-Allow-Origin": ""}},
		"other path":     {"", "GET", "/other", "", nil, 404, "404 page not found\n", headers{"X-Stand-In": "app-proxy"}},
		"allowed origin": {origin, "GET", "/api/healthz", "", headers{"Origin": origin}, 200, "ok\n", headers{"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", "Vary": "Origin"}},
		"other origin":   {origin, "GET", "/api/healthz", "", headers{"Origin": "https://evil.example.com"}, 200, "ok\n", headers{"Access-Control-Allow-Origin": ""}},
		"every origin":   {"*", "GET", "/api/healthz", "", headers{"Origin": "https://a.example.com"}, 200, "ok\n", headers{"Access-Control-Allow-Origin": "https://a.example.com"}},
		"preflight": {origin, "OPTIONS", "/app-proxy/x", "", headers{"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}, 204, "",
			headers{"Access-Control-Allow-Methods": "GET, HEAD, PUT, PATCH, POST, DELETE", "Access-Control-Allow-Headers": "authorization"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
			for key, value := range test.given {
				request.Header.Set(key, value)
			}
			recorder := httptest.NewRecorder()
			appproxy.Handler(appproxy.Options{CORS: test.cors}).ServeHTTP(recorder, request)
			require.Equal(t, test.status, recorder.Code)
			require.Equal(t, test.reply, recorder.Body.String())
			for key, value := range test.headers {
				require.Equal(t, value, recorder.Header().Get(key), key)
			}
		})
	}
}

// The echo works behind the log, which wraps the writer of the connection that is upgraded.
func TestWebSocketEcho(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server := httptest.NewServer(appproxy.Handler(appproxy.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))
	connection, err := websocket.Dial("ws"+strings.TrimPrefix(server.URL, "http")+"/app-proxy/ws", "", "http://localhost")
	require.NoError(t, err)
	for _, message := range []string{"one", "two"} {
		require.NoError(t, websocket.Message.Send(connection, message))
		var answer string
		require.NoError(t, websocket.Message.Receive(connection, &answer))
		require.Equal(t, message, answer)
	}
	require.NoError(t, connection.Close())
	server.Close()
}

func TestLargeBody(t *testing.T) {
	t.Parallel()
	body := bytes.NewReader(make([]byte, 17<<20))
	recorder := httptest.NewRecorder()
	appproxy.Handler(appproxy.Options{}).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/app-proxy", body))
	require.Equal(t, http.StatusRequestEntityTooLarge, recorder.Code)
}
