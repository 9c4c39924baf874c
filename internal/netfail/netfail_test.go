package netfail_test

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/netfail"
)

func quiet(handler http.HandlerFunc) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	return server
}

// listen accepts connections, passes each to treat and returns the address.
func listen(t *testing.T, treat func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			treat(connection)
		}
	}()
	return listener.Addr().String()
}

func TestClassify(t *testing.T) {
	plain := quiet(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	plain.Start()
	secure := quiet(func(http.ResponseWriter, *http.Request) {})
	secure.StartTLS()
	slow := quiet(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	slow.Start()
	for _, server := range []*httptest.Server{plain, secure, slow} {
		t.Cleanup(server.Close)
	}
	closed := listen(t, func(c net.Conn) { c.Close() })
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gone.Close()
	garbage := listen(t, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); c.Close() })
	silent := listen(t, func(net.Conn) {})
	cases := []struct {
		name, address string
		stage         netfail.Stage
		reason        string
		untrusted     bool
	}{
		{"unknown host", "http://nothing.invalid", netfail.DNS, "no such host", false},
		{"connection refused", "http://" + gone.Addr().String(), netfail.TCP, "connection refused", false},
		{"untrusted", secure.URL, netfail.TLS, "x509: certificate signed by unknown authority", true},
		{"closed in the handshake", "https://" + closed, netfail.TLS, "the connection was closed", false},
		{"no TLS", "https://" + garbage, netfail.TLS, "first record does not look like a TLS handshake", false},
		{"silent handshake", "https://" + silent, netfail.TLS, "no answer in time", false},
		{"closed after the request", plain.URL, netfail.HTTP, "the connection was closed", false},
		{"no response", slow.URL, netfail.HTTP, "no answer in time", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address, nil)
			require.NoError(t, err)
			response, err := netfail.Client(netfail.Settings{}).Do(request)
			if err == nil {
				response.Body.Close()
			}
			require.Error(t, err, "the request has to fail")
			failure := netfail.Classify("host", err)
			assert.Equal(t, c.stage, failure.Stage)
			assert.Equal(t, c.reason, failure.Reason())
			assert.Equal(t, c.untrusted, failure.Untrusted)
			assert.EqualError(t, failure, string(c.stage)+" host: "+c.reason)
			assert.NotNil(t, failure.Unwrap())
		})
	}
	assert.Nil(t, netfail.Classify("host", nil), "nil is classified as a failure")
}

func TestClientTrustsAndProxies(t *testing.T) {
	secure := quiet(func(http.ResponseWriter, *http.Request) {})
	secure.StartTLS()
	defer secure.Close()
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	response, err := netfail.Client(netfail.Settings{Authorities: bundle}).Get(secure.URL)
	require.NoError(t, err, "the server of the CA bundle is not trusted")
	response.Body.Close()
	asked := ""
	proxy := quiet(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.String() })
	proxy.Start()
	defer proxy.Close()
	response, err = netfail.Client(netfail.Settings{HTTPProxy: proxy.URL}).Get("http://far.example.com/x")
	require.NoError(t, err, "the proxy is not used")
	require.Equal(t, "http://far.example.com/x", asked, "the proxy is not used")
	response.Body.Close()
}

func TestRedirects(t *testing.T) {
	var hops int
	server := quiet(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hops++
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/near":
			http.Redirect(w, r, "/there", http.StatusFound)
		}
	})
	server.Start()
	defer server.Close()
	client := netfail.Client(netfail.Settings{})
	response, err := client.Get(server.URL + "/near")
	require.NoError(t, err)
	response.Body.Close()
	for _, path := range []string{"/away", "/round"} {
		response, err := client.Get(server.URL + path)
		if err == nil {
			response.Body.Close()
		}
		assert.Error(t, err, "the redirect of %s is followed", path)
	}
}
