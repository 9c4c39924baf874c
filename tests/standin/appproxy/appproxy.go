// Package appproxy is a stand-in for cap-app-proxy and its init container. It implements the known behavior of the real ones: the init container
// joins certificates; the main container registers the runtime and maintains an API key of Argo CD. It responds to the probes of its Deployment and
// echoes requests, so that a test can verify that a request has passed through the whole runtime.
package appproxy

import (
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/websocket"

	"gitops-runtime/tests/standin/serve"
)

// ArgoCDPath is the path at which the stand-in returns to tests the user as which it uses Argo CD.
const ArgoCDPath = "/app-proxy/stand-in/argo-cd"

// echoLimit is the maximum number of bytes of a request body that are read.
const echoLimit = 16 << 20

// Echo is the response to a request under /app-proxy.
type Echo struct {
	StandIn   string      `json:"standIn"` // StandIn is always "app-proxy".
	Method    string      `json:"method"`
	Host      string      `json:"host"`
	Path      string      `json:"path"`
	Query     string      `json:"query,omitempty"`
	Headers   http.Header `json:"headers"`   // Headers contains "(redacted)" in place of credentials.
	BodyBytes int64       `json:"bodyBytes"` // BodyBytes is the size of the body, which is not echoed.
}

// Options configure the responses of the stand-in.
type Options struct {
	ArgoCD http.Handler // ArgoCD serves ArgoCDPath; nil for none.
	// Promote serves PromotionPath; nil for none.
	Promote http.Handler
	Ready   func() bool  // Ready is the result of /api/readyz; nil for always ready.
	CORS    string       // CORS contains the allowed origins, comma-separated, * for all; empty for none.
	Log     *slog.Logger // Log receives a line for each request, without headers.
}

// Handler returns the handler of the stand-in.
func Handler(options Options) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/healthz", serve.Alive)
	mux.Handle("GET /api/readyz", readiness(options.Ready))
	if options.ArgoCD != nil {
		mux.Handle("GET "+ArgoCDPath, options.ArgoCD)
	}
	if options.Promote != nil {
		mux.Handle("POST "+PromotionPath, options.Promote)
		mux.HandleFunc("POST /api/graphql", graphQL)
	}
	mux.Handle("/app-proxy/ws", websocket.Server{Handler: echoMessages})
	mux.HandleFunc("/app-proxy/", echo)
	mux.HandleFunc("/app-proxy", echo)
	handler := identified(cors(options.CORS, mux))
	if options.Log != nil {
		handler = serve.Logged(options.Log, handler)
	}
	return handler
}

// readiness returns the handler of the readiness probe.
func readiness(ready func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ready != nil && !ready() {
			serve.Failure(w, http.StatusServiceUnavailable, "the runtime is not registered yet, or Argo CD has no API key yet")
			return
		}
		serve.Alive(w, r)
	})
}

// identified adds a header to every response that identifies the stand-in.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Stand-In", "app-proxy")
		next.ServeHTTP(w, r)
	})
}

// cors responds to preflight requests and adds the CORS headers for allowed origins to responses.
func cors(allowed string, next http.Handler) http.Handler {
	origins := strings.FieldsFunc(allowed, func(r rune) bool { return r == ',' || r == ' ' })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if origin == "" || (!slices.Contains(origins, origin) && !slices.Contains(origins, "*")) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		w.Header().Add("Vary", "Origin")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD, PUT, PATCH, POST, DELETE")
			w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func echo(w http.ResponseWriter, r *http.Request) {
	size, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, echoLimit))
	if err != nil {
		serve.Failure(w, http.StatusRequestEntityTooLarge, "the body is larger than 16 MiB or was cut off")
		return
	}
	headers := r.Header.Clone()
	for _, secret := range []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Access-Token"} {
		if headers.Get(secret) != "" {
			headers.Set(secret, "(redacted)")
		}
	}
	serve.JSON(w, http.StatusOK, Echo{
		StandIn: "app-proxy", Method: r.Method, Host: r.Host, Path: r.URL.Path, Query: r.URL.RawQuery,
		Headers: headers, BodyBytes: size,
	})
}

// echoMessages sends every WebSocket message back until the client closes the connection.
func echoMessages(connection *websocket.Conn) {
	for {
		var message string
		if websocket.Message.Receive(connection, &message) != nil || websocket.Message.Send(connection, message) != nil {
			return
		}
	}
}
