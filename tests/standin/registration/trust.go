package registration

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"
)

// Trusting is an HTTP client that trusts the system's authorities and those in the PEM file at caFile, when there is one. A
// file that is not there counts as none, as Node.js has it. A call may take 20 s. It uses the proxy that HTTPS_PROXY and NO_PROXY name.
func Trusting(caFile string) (*http.Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second}
	client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
	if caFile == "" {
		return client, nil
	}
	document, err := os.ReadFile(caFile)
	if errors.Is(err, fs.ErrNotExist) {
		return client, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading NODE_EXTRA_CA_CERTS: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(document) {
		return nil, fmt.Errorf("the file %q of NODE_EXTRA_CA_CERTS holds no PEM certificate", caFile)
	}
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	return client, nil
}
