// Package serve runs an HTTP handler on a listener until its context ends.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// drainTime is the time that running requests have after the context has ended.
const drainTime = 2 * time.Second

// Listen opens a TCP listener on address (host:port; port 0 selects a free one), a TLS listener if tlsConfig is not nil.
func Listen(ctx context.Context, address string, tlsConfig *tls.Config) (net.Listener, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", address, err)
	}
	if tlsConfig != nil {
		listener = tls.NewListener(listener, tlsConfig)
	}
	return listener, nil
}

// HTTP serves handler on listener until ctx ends, then waits up to two seconds for running requests and returns nil. The listener is closed in every
// case. It serves only HTTP/1.1, so that WebSocket upgrades work on every connection.
func HTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		TLSNextProto:      map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	} else if err != nil {
		return fmt.Errorf("stopping the server on %s: %w", listener.Addr(), err)
	}
	return nil
}

// KeyPair returns a TLS configuration from a PEM certificate chain and its PEM key.
func KeyPair(certFile, keyFile string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the TLS certificate %q and key %q: %w", certFile, keyFile, err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, nil
}
