package serve_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/serve"
)

// A running request receives its response although the server is stopped.
func TestHTTPDrains(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	listener, err := serve.Listen(ctx, "127.0.0.1:0", nil)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		ended <- serve.HTTP(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			cancel()
			_, _ = io.WriteString(w, "answered")
		}))
	}()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String(), nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, "answered", string(body))
	require.NoError(t, <-ended)
}

func TestListenFails(t *testing.T) {
	t.Parallel()
	_, err := serve.Listen(t.Context(), "127.0.0.1:none", nil)
	require.ErrorContains(t, err, `listening on "127.0.0.1:none": `)
}

func TestServerFails(t *testing.T) {
	t.Parallel()
	listener, err := serve.Listen(t.Context(), "127.0.0.1:0", nil)
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	require.ErrorContains(t, serve.HTTP(t.Context(), listener, http.NotFoundHandler()), "serving 127.0.0.1:")
}

func TestJSON(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	serve.JSON(recorder, http.StatusTeapot, map[string]string{"a": "<b>&"})
	require.Equal(t, http.StatusTeapot, recorder.Code)
	require.Equal(t, "application/json", recorder.Header().Get("Content-Type"))
	require.Equal(t, "{\n  \"a\": \"<b>&\"\n}\n", recorder.Body.String())
}
