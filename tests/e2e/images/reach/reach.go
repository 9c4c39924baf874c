// Package reach determines which registries this machine can reach, so that a machine without access loses seconds instead of minutes.
package reach

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Limit is the timeout of the first request to a registry.
const Limit = 3 * time.Second

// Prober sends one request to each registry host and caches the result. The zero value is not usable; see New.
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

// New returns a Prober that sends requests through the transport (nil: the default one, with the proxy settings of the environment) and waits limit
// for each host.
func New(transport http.RoundTripper, limit time.Duration) *Prober {
	return &Prober{
		client: &http.Client{Transport: transport},
		limit:  limit,
		hosts:  map[string]*answer{},
	}
}

// Host returns nil if the registry at host[:port] responds at its base path /v2/ in any way, including a request for credentials; otherwise the reason.
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
