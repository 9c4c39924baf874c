package netfail

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Settings are the network settings of the values and the environment.
type Settings struct {
	// Proxies as in the environment variables of the same names; an empty
	// field is not a proxy.
	HTTPProxy, HTTPSProxy, NoProxy string
	// Authorities are CA certificates in PEM that are trusted besides the
	// system's; they stay in memory.
	Authorities []byte
	// Unverified accepts every certificate, for requests without credentials.
	Unverified bool
}

// Times for one request. The checks' own deadlines are longer than their sum.
const (
	dialTime      = 5 * time.Second
	handshakeTime = 5 * time.Second
)

// Client creates an HTTP client from the settings. It never follows a redirect to another host, because a token must not be sent there.
func Client(settings Settings) *http.Client {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pool.AppendCertsFromPEM(settings.Authorities)
	proxy := (&httpproxy.Config{
		HTTPProxy: settings.HTTPProxy, HTTPSProxy: settings.HTTPSProxy, NoProxy: settings.NoProxy,
	}).ProxyFunc()
	return &http.Client{
		CheckRedirect: sameHost,
		Transport: traced{&http.Transport{
			Proxy:               func(request *http.Request) (*url.URL, error) { return proxy(request.URL) },
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSHandshakeTimeout: handshakeTime,
			TLSClientConfig:     &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12, InsecureSkipVerify: settings.Unverified}, //nolint:gosec // requested
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 4,
		}},
	}
}

// ErrRedirect is the reason when a redirect points to another host.
var ErrRedirect = errors.New("a redirect points to another host")

func sameHost(request *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("too many redirects")
	}
	if request.URL.Host != via[0].URL.Host || via[0].URL.Scheme == "https" && request.URL.Scheme != "https" {
		return ErrRedirect
	}
	return nil
}
