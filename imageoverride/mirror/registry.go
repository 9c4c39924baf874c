package mirror

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/imageoverride/fault"
)

// Access is how registries are reached.
type Access struct {
	// PlainHTTP are hosts spoken to without TLS.
	PlainHTTP []string
	// Rewrite replaces hosts, for registries that go by another name from here.
	Rewrite map[string]string
	// CAFile holds further certificate authorities in PEM form.
	CAFile string
	// Transport replaces the network, in tests.
	Transport http.RoundTripper
	// Pause is the first wait before trying again; it doubles. One second when 0.
	Pause time.Duration
}

// attempts is how often a request is tried when a registry is busy or away.
const attempts = 5

// registry is Access made ready.
type registry struct {
	access  Access
	options []remote.Option
}

func (a Access) open() (registry, error) {
	base := a.Transport
	if base == nil {
		own, _ := remote.DefaultTransport.(*http.Transport)
		cloned := own.Clone()
		if a.CAFile != "" {
			pool, err := authorities(a.CAFile)
			if err != nil {
				return registry{}, err
			}
			cloned.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
		}
		base = cloned
	}
	pause := a.Pause
	if pause == 0 {
		pause = time.Second
	}
	return registry{access: a, options: []remote.Option{
		remote.WithTransport(patient{base: base, pause: pause}),
		remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithRetryBackoff(remote.Backoff{Duration: pause, Factor: 2, Jitter: 0.1, Steps: attempts}),
	}}, nil
}

func authorities(path string) (*x509.CertPool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--ca-file %s: %s", path, fault.File(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("--ca-file %s holds no certificate in PEM form", path)
	}
	return pool, nil
}

// reference parses an image the way it is reached from here.
func (r registry) reference(text string) (name.Reference, error) {
	host, rest, _ := strings.Cut(text, "/")
	if other, ok := r.access.Rewrite[host]; ok {
		host, text = other, other+"/"+rest
	}
	options := []name.Option{name.WeakValidation}
	for _, plain := range r.access.PlainHTTP {
		if plain == host {
			options = append(options, name.Insecure)
		}
	}
	reference, err := name.ParseReference(text, options...)
	if err != nil {
		return nil, fmt.Errorf("%s is not an image reference: %w", text, err)
	}
	return reference, nil
}

func (r registry) with(ctx context.Context) []remote.Option {
	return append(append([]remote.Option{}, r.options...), remote.WithContext(ctx))
}

// patient waits when a registry says it is asked too often.
type patient struct {
	base  http.RoundTripper
	pause time.Duration
}

// maxWait bounds what a registry may ask us to wait.
const maxWait = time.Minute

func (p patient) RoundTrip(request *http.Request) (*http.Response, error) {
	pause := p.pause
	for try := 1; ; try++ {
		response, err := p.base.RoundTrip(request)
		replay := request.Body == nil || request.GetBody != nil
		if err != nil || response.StatusCode != http.StatusTooManyRequests || try == attempts || !replay {
			return response, err
		}
		wait := pause
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
			wait = min(time.Duration(seconds)*time.Second, maxWait)
		}
		_ = response.Body.Close()
		pause *= 2
		select {
		case <-request.Context().Done():
			return nil, request.Context().Err()
		case <-time.After(wait):
		}
		if request.GetBody != nil {
			body, err := request.GetBody()
			if err != nil {
				return nil, fmt.Errorf("send again: %w", err)
			}
			request.Body = body
		}
	}
}
