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
	// HTTPProxy, HTTPSProxy and NoProxy are like the environment variables of the same names; an empty field means no proxy.
	HTTPProxy, HTTPSProxy, NoProxy string
	// Authorities contains CA certificates in PEM format that are trusted in addition to the system's; they stay in memory.
	Authorities []byte
	// Unverified accepts every certificate, for requests without credentials.
	Unverified bool
}

// Timeouts of one request. The deadlines of the checks are longer than their sum.
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

// ErrRedirect is the error of a redirect to another host.
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
