package certs_test

import (
	"context"
	"crypto/tls"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/certs"
)

func TestHandshake(t *testing.T) {
	t.Parallel()
	bundle, err := certs.New("platform.example.com", "*.tunnels.local", "127.0.0.1")
	require.NoError(t, err)
	other, err := certs.New("platform.example.com")
	require.NoError(t, err)
	tests := map[string]struct {
		name    string
		trusted certs.Bundle
		problem string
	}{
		"host name":       {"platform.example.com", bundle, ""},
		"wildcard":        {"acc1-local.tunnels.local", bundle, ""},
		"address":         {"127.0.0.1", bundle, ""},
		"name not held":   {"other.example.com", bundle, "x509: certificate is valid for platform.example.com, *.tunnels.local, not other.example.com"},
		"other authority": {"platform.example.com", other, "x509: certificate signed by unknown authority"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := handshake(t.Context(), t, bundle, test.trusted, test.name)
			if test.problem == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.problem)
		})
	}
}

func handshake(ctx context.Context, t *testing.T, shown, trusted certs.Bundle, name string) error {
	t.Helper()
	serverConfig, err := shown.Server()
	require.NoError(t, err)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", serverConfig)
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = connection.Close() }()
		_, _ = connection.Read(make([]byte, 1))
	}()
	clientConfig := trusted.Client()
	clientConfig.ServerName = name
	dialer := &tls.Dialer{Config: clientConfig}
	connection, err := dialer.DialContext(ctx, "tcp", listener.Addr().String())
	if err == nil {
		_ = connection.Close()
	}
	return err
}

func TestCovers(t *testing.T) {
	t.Parallel()
	bundle, err := certs.New("a.example.com", "127.0.0.1")
	require.NoError(t, err)
	other, err := certs.New("a.example.com")
	require.NoError(t, err)
	now := time.Now()
	require.True(t, bundle.Covers(now, "127.0.0.1", "a.example.com"))
	require.False(t, bundle.Covers(now, "b.example.com"), "a name it does not hold")
	require.False(t, bundle.Covers(now.Add(400*24*time.Hour), "a.example.com"), "expired")
	require.False(t, certs.Bundle{CA: other.CA, Cert: bundle.Cert, Key: bundle.Key}.Covers(now), "another authority")
	require.False(t, certs.Bundle{}.Covers(now), "nothing there")
}

func TestNoNames(t *testing.T) {
	t.Parallel()
	_, err := certs.New()
	require.EqualError(t, err, "a server certificate needs at least one name")
}
