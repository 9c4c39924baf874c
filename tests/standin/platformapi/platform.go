// Package platformapi is a stand-in of the control plane that a runtime registers at: a GraphQL server with accounts, users and
// runtimes, a log of reported events, and the server plugin that lets a runtime's tunnel in.
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

// Options say how a Platform starts; the zero value has the default seed, a test API and no log.
type Options struct {
	Seed      *Seed            // Seed is DefaultSeed() when nil.
	StateFile string           // StateFile, when given, keeps registered runtimes over a restart.
	NoTestAPI bool             // NoTestAPI leaves out /test/.
	Faults    []Fault          // Faults are in force from the start.
	Log       *slog.Logger     // Log gets a line for each request, without tokens.
	Now       func() time.Time // Now is time.Now when nil.
}

// Platform is an http.Handler that plays the control plane.
type Platform struct {
	data    *store
	faults  faults
	handler http.Handler
}

// New makes a Platform. It fails when the seed contradicts itself or the state file cannot be read.
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

// ServeHTTP answers a request.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// Events are what runtimes have reported of a kind of objects, oldest first; an empty kind or runtime takes all.
func (p *Platform) Events(kind, runtime string) []Event { return p.data.reported(kind, runtime) }

// AddTask puts work there for gitops-operator of a runtime.
func (p *Platform) AddTask(runtime string, task Task) { p.data.addTask(runtime, task) }

// Errors are what was reported for a runtime.
func (p *Platform) Errors(account, runtime string) []RuntimeError {
	return p.data.reportedErrors(account, runtime)
}

// Runtimes are all registered runtimes by account and name, without their tokens.
func (p *Platform) Runtimes() []Runtime {
	runtimes := p.data.list("")
	for i := range runtimes {
		runtimes[i].Token = ""
	}
	return runtimes
}

// Token is the token of a registered runtime, empty when there is none of that name.
func (p *Platform) Token(account, name string) string {
	runtime, _ := p.data.runtime(account, name)
	return runtime.Token
}

// Inject puts a fault in force, behind those already there.
func (p *Platform) Inject(fault Fault) { p.faults.add(fault) }

// ClearFaults makes the platform behave again.
func (p *Platform) ClearFaults() { p.faults.clear() }

// Reset goes back to the seed, and forgets events and faults.
func (p *Platform) Reset() error {
	p.faults.clear()
	return p.data.reset()
}
