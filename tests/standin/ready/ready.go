// Package ready responds to the probes of a program: it is alive from the start, and ready once its checks have passed.
package ready

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// Check is a precondition of a program's readiness; Name is its name in the log.
type Check struct {
	Name string
	Run  func(context.Context) error
}

// Gate is closed until all checks have passed once.
type Gate struct {
	reason atomic.Pointer[string]
}

// NewGate returns a closed gate.
func NewGate() *Gate {
	gate, reason := &Gate{}, "starting"
	gate.reason.Store(&reason)
	return gate
}

// Wait runs the checks, in order, until all have passed or ctx ends; a failed check is repeated after pause.
func (g *Gate) Wait(ctx context.Context, pause time.Duration, log *slog.Logger, checks ...Check) error {
	for _, check := range checks {
		for {
			err := check.Run(ctx)
			if err == nil {
				log.InfoContext(ctx, "passed", "check", check.Name)
				break
			}
			reason := check.Name + ": " + err.Error()
			g.reason.Store(&reason)
			log.WarnContext(ctx, "trying again", "check", check.Name, "error", err, "after", pause.String())
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			}
		}
	}
	none := ""
	g.reason.Store(&none)
	return nil
}

// Readiness responds with 200 if the gate is open, otherwise with 503 and the failed check.
func (g *Gate) Readiness(w http.ResponseWriter, r *http.Request) {
	if reason := *g.reason.Load(); reason != "" {
		serve.Failure(w, http.StatusServiceUnavailable, reason)
		return
	}
	serve.Alive(w, r)
}

// Handler serves one path for both probes, like the programs of cf-argocd-extras: /healthz?full=true is liveness.
func (g *Gate) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("full") == "true" {
			serve.Alive(w, r)
			return
		}
		g.Readiness(w, r)
	})
	return mux
}
