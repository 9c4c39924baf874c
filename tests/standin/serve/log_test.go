package serve_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/serve"
)

func TestLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	dropTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	handler := serve.Logged(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: dropTime})),
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("token") != "" {
				w.WriteHeader(http.StatusTeapot)
			}
		}))
	for _, path := range []string{"/healthz", "/app-proxy/health", "/readyz?token=secret", "/other"} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		request.Header.Set("Authorization", "secret")
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	require.Equal(t, `level=INFO msg=request method=GET host=example.com path=/readyz status=418 duration=D
level=INFO msg=request method=GET host=example.com path=/other status=200 duration=D
`, regexp.MustCompile(`duration=\S+`).ReplaceAllString(log.String(), "duration=D"))
}
