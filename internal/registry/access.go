// Package registry contacts registries in the same way for every program: host names, logins, certificates and retries, and how a chart is pulled. It
// does not know the content of images and charts.
package registry

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/time/rate"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/outfile"
)

// Access contains the settings for contacting registries.
type Access struct {
	// PlainHTTP are hosts that are contacted without TLS; loopback and private addresses are contacted without TLS if they do not support it.
	PlainHTTP []string
	// Rewrite maps the host names of registries to those under which the program reaches them.
	Rewrite map[string]string
	// CAFile contains additional certificate authorities in PEM format.
	CAFile string
	// Logins is the file of `helm registry login`, which is read before Docker's.
	Logins string
	// Transport replaces the network, in tests.
	Transport http.RoundTripper
	// Pause is the wait before the first retry, and doubles with each; 0 means one second. The waits for a registry that responds with 429 total up
	// to 900 times as long.
	Pause time.Duration
	// Waiting is called for each pause that a registry requests; may be nil. Several goroutines may call it.
	Waiting func(Wait)
	// Rate is the maximum number of requests in a second to one host; 0 means no limit.
	Rate float64
	// Attempts is the maximum number of attempts while a registry is unavailable; 0 means 5. If it is set, the waits for a registry that throttles
	// total at most Attempts-1 times Pause.
	Attempts int
}

const defaultAttempts = 5

// Client is a registry client with the settings of Access.
type Client struct {
	access  Access
	options []remote.Option
}

// Open creates a client; a certificate authority file that cannot be used is an error.
func (a Access) Open() (*Client, error) {
	guarded := newGuard(a)
	if a.Transport == nil {
		own, _ := remote.DefaultTransport.(*http.Transport)
		cloned := own.Clone()
		cloned.DialContext = guarded.dial
		if a.CAFile != "" {
			pool, err := authorities(a.CAFile)
			if err != nil {
				return nil, err
			}
			cloned.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
		}
		guarded.base = cloned
	}
	pause, attempts := cmp.Or(a.Pause, time.Second), cmp.Or(a.Attempts, defaultAttempts)
	total := maxPauses * pause
	if a.Attempts > 0 {
		total = time.Duration(a.Attempts-1) * pause
	}
	options := []remote.Option{
		remote.WithTransport(retryingTransport{base: bounded{guarded}, pause: pause, total: total, report: a.Waiting, hosts: &hosts{until: map[string]time.Time{}, most: a.Rate, limiters: map[string]*rate.Limiter{}}}),
		remote.WithAuthFromKeychain(authn.NewMultiKeychain(logins(a.Logins), authn.DefaultKeychain)),
		remote.WithRetryBackoff(remote.Backoff{Duration: pause, Factor: 2, Jitter: 0.1, Steps: attempts}),
	}
	if attempts == 1 {
		options = append(options, remote.WithRetryStatusCodes())
	}
	return &Client{access: a, options: options}, nil
}

// maxAuthorities is the maximum size of a file of certificate authorities; that of all public ones is a fifth.
const maxAuthorities = 1 << 20

func authorities(path string) (*x509.CertPool, error) {
	data, err := outfile.Read(path, maxAuthorities)
	if err != nil {
		return nil, fmt.Errorf("--ca-file %s: %s", path, outfile.Reason(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("--ca-file %s contains no certificate in PEM format", path)
	}
	return pool, nil
}

// Reference parses an image reference for a registry as the program reaches it.
func (c *Client) Reference(text string) (name.Reference, error) {
	text, options := c.reached(text)
	reference, err := name.ParseReference(text, options...)
	if err != nil {
		return nil, fmt.Errorf("%s is not an image reference: %w", cleantext.Image(text), err)
	}
	return reference, nil
}

// reached returns a name with the host that is contacted, and the option for a host that is contacted without TLS.
func (c *Client) reached(text string) (string, []name.Option) {
	host, rest, _ := strings.Cut(text, "/")
	if other, ok := c.access.Rewrite[host]; ok {
		host, text = other, other+"/"+rest
	}
	if slices.Contains(c.access.PlainHTTP, host) {
		return text, []name.Option{name.Insecure}
	}
	return text, nil
}

// Options returns the options of one request.
func (c *Client) Options(ctx context.Context) []remote.Option {
	return append(slices.Clone(c.options), remote.WithContext(ctx))
}
