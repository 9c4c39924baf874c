package serve

import (
	"bufio"
	"log/slog"
	"net"
	"net/http"
	"path"
	"slices"
	"time"
)

// Logged logs a line for each request: method, path, status and duration; health checks that pass get none. Headers, query
// strings and bodies may carry tokens and are never logged.
func Logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		if recorder.status == http.StatusOK && isHealthCheck(r.URL.Path) {
			return
		}
		log.InfoContext(r.Context(), "request", "method", r.Method, "host", r.Host, "path", r.URL.Path,
			"status", recorder.status, "duration", time.Since(start).Round(time.Microsecond).String())
	})
}

func isHealthCheck(name string) bool {
	return slices.Contains([]string{"health", "healthz", "ready", "readyz"}, path.Base(name))
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach Flush and Hijack of the real writer.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Hijack hands over the connection, for handlers that look for http.Hijacker themselves.
func (r *statusRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r.status = http.StatusSwitchingProtocols
	return http.NewResponseController(r.ResponseWriter).Hijack()
}
