// Package reach finds out which registries this machine can talk to, so that a
// machine without them loses seconds and not minutes.
package reach

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Limit is how long a registry has to answer the first time it is asked.
const Limit = 3 * time.Second

// Prober asks each registry host once and remembers the answer.
// The zero value is not usable; see New.
type Prober struct {
	client *http.Client
	limit  time.Duration
	mu     sync.Mutex
	hosts  map[string]*answer
}

type answer struct {
	once sync.Once
	err  error
}

// New is a Prober that asks through the transport (nil: the usual one, with
// the proxy settings of the environment) and waits limit for each host.
func New(transport http.RoundTripper, limit time.Duration) *Prober {
	return &Prober{
		client: &http.Client{Transport: transport},
		limit:  limit,
		hosts:  map[string]*answer{},
	}
}

// Host is nil when the registry at host[:port] answers its base path /v2/ in
// any way, a demand for credentials included; else it says why not.
func (p *Prober) Host(ctx context.Context, host string) error {
	p.mu.Lock()
	known, ok := p.hosts[host]
	if !ok {
		known = &answer{}
		p.hosts[host] = known
	}
	p.mu.Unlock()
	known.once.Do(func() { known.err = p.ask(ctx, host) })
	return known.err
}

func (p *Prober) ask(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/v2/", nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
