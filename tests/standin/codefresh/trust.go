package codefresh

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Proxy returns the proxy for a request; nil for none.
type Proxy func(*http.Request) (*url.URL, error)

// Trusting returns an HTTP client that trusts the system's authorities and those in the PEM file at caFile; an empty path adds none, and a file that
// cannot be read is an error: the programs read it as one file and stop without it.
func Trusting(caFile string, proxy Proxy) (*http.Client, error) {
	return trusting(caFile, proxy, false)
}

// TrustingExtra is like Trusting, but a missing file adds none, as Node.js handles NODE_EXTRA_CA_CERTS.
func TrustingExtra(caFile string, proxy Proxy) (*http.Client, error) {
	return trusting(caFile, proxy, true)
}

func trusting(caFile string, proxy Proxy, mayLack bool) (*http.Client, error) {
	transport := &http.Transport{Proxy: proxy, TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second}
	client := &http.Client{Transport: transport, Timeout: EventTimeout}
	if caFile == "" {
		return client, nil
	}
	document, err := os.ReadFile(caFile)
	if mayLack && (errors.Is(err, fs.ErrNotExist) || len(document) == 0 && err == nil) {
		return client, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the certificates to trust: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(document) {
		return nil, fmt.Errorf("the file %q of certificates to trust has no PEM certificate", caFile)
	}
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	return client, nil
}
