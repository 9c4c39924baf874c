package ready_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/ready"
)

func probe(t *testing.T, gate *ready.Gate, path string) (int, string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	gate.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return recorder.Code, recorder.Body.String()
}

func TestGate(t *testing.T) {
	t.Parallel()
	gate, failures := ready.NewGate(), 2
	status, body := probe(t, gate, "/healthz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.JSONEq(t, `{"message":"starting"}`, body)
	var reasons []string
	check := ready.Check{Name: "platform", Run: func(context.Context) error {
		_, body := probe(t, gate, "/healthz")
		reasons = append(reasons, body)
		if failures--; failures >= 0 {
			return errors.New("away")
		}
		return nil
	}}
	require.NoError(t, gate.Wait(t.Context(), time.Millisecond, slog.New(slog.DiscardHandler), check))
	require.Len(t, reasons, 3)
	require.JSONEq(t, `{"message":"platform: away"}`, reasons[2])
	status, _ = probe(t, gate, "/healthz")
	require.Equal(t, http.StatusOK, status)
}

func TestGateEndsWithItsContext(t *testing.T) {
	t.Parallel()
	gate := ready.NewGate()
	ctx, cancel := context.WithCancel(t.Context())
	never := ready.Check{Name: "platform", Run: func(context.Context) error { cancel(); return errors.New("away") }}
	require.ErrorIs(t, gate.Wait(ctx, time.Hour, slog.New(slog.DiscardHandler), never), context.Canceled)
	status, _ := probe(t, gate, "/healthz?full=true")
	require.Equal(t, http.StatusOK, status, "it is alive all the same")
}
