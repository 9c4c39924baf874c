package netfail

import (
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// traced is a transport that records the stage of each request, for errors that do not show it: a connection that breaks looks the same before and after
// the handshake.
type traced struct{ next http.RoundTripper }

// reached is an error with the stage at which it happened.
type reached struct {
	stage Stage
	err   error
}

func (r *reached) Error() string { return r.err.Error() }
func (r *reached) Unwrap() error { return r.err }

// RoundTrip sends a request and records its stages.
func (t traced) RoundTrip(request *http.Request) (*http.Response, error) {
	var at atomic.Value
	at.Store(TCP)
	trace := &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { at.Store(DNS) },
		ConnectStart:      func(string, string) { at.Store(TCP) },
		TLSHandshakeStart: func() { at.Store(TLS) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err == nil {
				at.Store(HTTP)
			}
		},
		GotConn: func(httptrace.GotConnInfo) { at.Store(HTTP) },
	}
	response, err := t.next.RoundTrip(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	if err != nil {
		return nil, &reached{at.Load().(Stage), err}
	}
	return response, nil
}
