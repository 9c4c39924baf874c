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

// Logged logs a line for each request: method, path, status and duration; passed health checks are not logged. Headers, query
// strings and bodies may contain tokens and are never logged.
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

// Unwrap returns the real writer, whose Flush and Hijack http.ResponseController uses.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Hijack returns the connection, for handlers that require http.Hijacker.
func (r *statusRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r.status = http.StatusSwitchingProtocols
	return http.NewResponseController(r.ResponseWriter).Hijack()
}
