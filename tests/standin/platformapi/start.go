package platformapi

import (
	"context"
	"crypto/tls"

	"gitops-runtime/tests/standin/certs"
	"gitops-runtime/tests/standin/serve"
)

// Server is a Platform that listens on loopback.
type Server struct {
	*Platform
	URL string // URL has no path and no trailing slash.
	CA  []byte // CA is the PEM certificate to trust; nil without TLS.
}

// Start serves a Platform over http on a free loopback port until ctx ends.
func Start(ctx context.Context, options Options) (*Server, error) {
	return start(ctx, options, nil)
}

// StartTLS is like Start, but over https, with a certificate for 127.0.0.1 and localhost that the Server's CA has signed.
func StartTLS(ctx context.Context, options Options) (*Server, error) {
	bundle, err := certs.New("127.0.0.1", "localhost")
	if err != nil {
		return nil, err
	}
	return start(ctx, options, &bundle)
}

func start(ctx context.Context, options Options, bundle *certs.Bundle) (*Server, error) {
	platform, err := New(options)
	if err != nil {
		return nil, err
	}
	server, scheme := &Server{Platform: platform}, "http"
	var tlsConfig *tls.Config
	if bundle != nil {
		if tlsConfig, err = bundle.Server(); err != nil {
			return nil, err
		}
		server.CA, scheme = bundle.CA, "https"
	}
	listener, err := serve.Listen(ctx, "127.0.0.1:0", tlsConfig)
	if err != nil {
		return nil, err
	}
	server.URL = scheme + "://" + listener.Addr().String()
	go func() {
		// The listener was opened above, so Serve can only return because ctx has ended.
		_ = serve.HTTP(ctx, listener, platform)
	}()
	return server, nil
}
