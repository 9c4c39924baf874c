// Package platformapi is a stand-in for the control plane that a runtime registers with: a GraphQL server with accounts, users and runtimes, a log of
// reported events, and the server plugin that authorizes a runtime's tunnel.
package platformapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// Paths of the platform's API.
const (
	GraphQLPath = "/2.0/api/graphql"
	EventsPath  = "/2.0/api/events"
	TunnelPath  = "/newProxy"
)

// Options configure a Platform; the zero value has the default seed, a test API and no log.
type Options struct {
	Seed      *Seed            // Seed is DefaultSeed() if nil.
	StateFile string           // StateFile, if set, preserves registered runtimes across restarts.
	NoTestAPI bool             // NoTestAPI disables /test/.
	Faults    []Fault          // Faults are active from the start.
	Log       *slog.Logger     // Log receives a line for each request, without tokens.
	Now       func() time.Time // Now is time.Now if nil.
}

// Platform is an http.Handler that responds like the control plane.
type Platform struct {
	data    *store
	faults  faults
	handler http.Handler
}

// New returns a Platform. It fails if the seed is inconsistent or the state file cannot be read.
func New(options Options) (*Platform, error) {
	seed := options.Seed
	if seed == nil {
		fallback := DefaultSeed()
		seed = &fallback
	}
	if err := seed.check(); err != nil {
		return nil, err
	}
	now := options.Now
	if now == nil {
		now = time.Now
	}
	p := &Platform{data: newStore(*seed, now)}
	p.faults.pending = append(p.faults.pending, options.Faults...)
	if options.StateFile != "" {
		if err := p.data.keepIn(options.StateFile); err != nil {
			return nil, err
		}
	}
	graphQL, err := graphQLHandler(p.data)
	if err != nil {
		return nil, fmt.Errorf("the platform's GraphQL schema: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("POST "+GraphQLPath, graphQL)
	mux.HandleFunc("POST "+EventsPath, p.data.report)
	mux.HandleFunc("POST "+TunnelPath, p.data.tunnel)
	p.data.rest(mux)
	mux.HandleFunc("GET /healthz", serve.Alive)
	mux.HandleFunc("GET /readyz", serve.Alive)
	if !options.NoTestAPI {
		p.testAPI(mux)
	}
	p.handler = p.faults.before(mux)
	if options.Log != nil {
		p.handler = serve.Logged(options.Log, p.handler)
	}
	return p, nil
}

// ServeHTTP responds to a request.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// Events returns the events that a runtime has reported about a kind of objects, oldest first; an empty kind or runtime matches all.
func (p *Platform) Events(kind, runtime string) []Event { return p.data.reported(kind, runtime) }

// AddTask adds a task for gitops-operator of a runtime.
func (p *Platform) AddTask(runtime string, task Task) { p.data.addTask(runtime, task) }

// Errors returns the errors that were reported for a runtime.
func (p *Platform) Errors(account, runtime string) []RuntimeError {
	return p.data.reportedErrors(account, runtime)
}

// Runtimes returns all registered runtimes, sorted by account and name, without their tokens.
func (p *Platform) Runtimes() []Runtime {
	runtimes := p.data.list("")
	for i := range runtimes {
		runtimes[i].Token = ""
	}
	return runtimes
}

// Token returns the token of a registered runtime, empty if the runtime does not exist.
func (p *Platform) Token(account, name string) string {
	runtime, _ := p.data.runtime(account, name)
	return runtime.Token
}

// Inject adds a fault after the active ones.
func (p *Platform) Inject(fault Fault) { p.faults.add(fault) }

// ClearFaults removes all faults.
func (p *Platform) ClearFaults() { p.faults.clear() }

// Reset restores the seed and deletes events and faults.
func (p *Platform) Reset() error {
	p.faults.clear()
	return p.data.reset()
}
