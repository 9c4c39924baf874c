//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/install"
)

// outside sends requests from this machine to an endpoint of the cluster: with its host name, but to 127.0.0.1.
type outside struct {
	endpoint install.Endpoint
	tls      *tls.Config
	http     *http.Client
}

func (e *environment) outside(t *testing.T, endpoint install.Endpoint) outside {
	t.Helper()
	pem, err := os.ReadFile(e.ready.CAFile)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(pem), "%s contains no certificate", e.ready.CAFile)
	o := outside{endpoint: endpoint, tls: &tls.Config{RootCAs: roots, ServerName: endpoint.Host, MinVersion: tls.VersionTLS12}}
	transport := &http.Transport{
		TLSClientConfig:   o.tls,
		DisableKeepAlives: true, // pods may be replaced between requests
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return o.dial(ctx)
		},
	}
	o.http = &http.Client{Transport: transport, Timeout: 15 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return o
}

func (o outside) dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", o.endpoint.Port))
}

func (o outside) url(path string) string {
	return fmt.Sprintf("%s://%s:%d%s", o.endpoint.Scheme, o.endpoint.Host, o.endpoint.Port, path)
}

// request is the request to send; method is GET if empty.
type request struct {
	method, path, body string
	header             map[string]string
}

type reply struct {
	status int
	header http.Header
	body   []byte
}

func (o outside) ask(ctx context.Context, r request) (reply, error) {
	httpRequest, err := http.NewRequestWithContext(ctx, r.method, o.url(r.path), bytes.NewBufferString(r.body))
	if err != nil {
		return reply{}, err
	}
	for name, value := range r.header {
		httpRequest.Header.Set(name, value)
	}
	response, err := o.http.Do(httpRequest)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, body}, err
}

// answer sends the request until the response has a status, and returns it.
func (o outside) answer(t *testing.T, status int, timeout time.Duration, r request) reply {
	t.Helper()
	var got reply
	eventually(t, fmt.Sprintf("%s answers %d", o.url(r.path), status), timeout, func(ctx context.Context) error {
		var err error
		if got, err = o.ask(ctx, r); err != nil {
			return err
		}
		if got.status != status {
			return fmt.Errorf("status %d: %s", got.status, got.body)
		}
		return nil
	})
	return got
}
