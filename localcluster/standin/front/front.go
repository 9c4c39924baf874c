// Package front is a reverse proxy that routes by host name and path, and forwards WebSocket upgrades and event streams. It is a stand-in for the TLS
// front of the platform and of its tunnel server, and for the gateway of a service mesh.
package front

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// Route sends requests for a host and a path to a target.
type Route struct {
	Host   string // Host is a name, *.suffix for any name under the suffix, or * for every name.
	Path   string // Path is the exact path, or a prefix if it ends with a slash; empty for every path.
	Target *url.URL
}

// ParseRoute reads HOST[/PATH]=URL, such as "*.tunnels.local=http://frps:8080".
func ParseRoute(text string) (Route, error) {
	pattern, target, ok := strings.Cut(text, "=")
	if !ok {
		return Route{}, fmt.Errorf("the route %q is not of the form HOST[/PATH]=URL", text)
	}
	address, err := url.Parse(target)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return Route{}, fmt.Errorf("the route %q has the target %q, which is not an http or https URL", text, target)
	}
	host, path, slash := strings.Cut(pattern, "/")
	if host == "" {
		return Route{}, fmt.Errorf("the route %q has no host; write * for every host", text)
	}
	if slash {
		path = "/" + path
	}
	return Route{Host: strings.ToLower(host), Path: path, Target: address}, nil
}

// matches reports whether the route is for a host (without port, lower case) and path.
func (r Route) matches(host, path string) bool {
	suffix, wild := strings.CutPrefix(r.Host, "*")
	if host != r.Host && (!wild || !strings.HasSuffix(host, suffix)) {
		return false
	}
	return r.Path == "" || path == r.Path || (strings.HasSuffix(r.Path, "/") && strings.HasPrefix(path, r.Path))
}

// Front forwards each request by the first route that matches. /front/healthz is its own health check on every host.
type Front struct {
	routes  []Route
	proxies []*httputil.ReverseProxy
}

// New returns a Front. The response is 404 if no route matches, and 502 if the target is not available; both have a message in JSON.
func New(log *slog.Logger, routes ...Route) *Front {
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		ResponseHeaderTimeout: 60 * time.Second,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       30 * time.Second,
	}
	front := &Front{routes: routes}
	for _, route := range routes {
		front.proxies = append(front.proxies, &httputil.ReverseProxy{
			Transport:     transport,
			FlushInterval: -1, // event streams are forwarded immediately
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(route.Target)
				r.Out.Host = r.In.Host // the targets select their virtual hosts by it
				r.SetXForwarded()
			},
			ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
				log.WarnContext(r.Context(), "target away", "host", r.Host, "path", r.URL.Path, "target", route.Target.String(), "error", err)
				serve.Failure(w, http.StatusBadGateway, "the target of this route does not answer")
			},
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		})
	}
	return front
}

// ServeHTTP routes a request.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/front/healthz" {
		serve.Alive(w, r)
		return
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(host)
	for i, route := range f.routes {
		if route.matches(host, r.URL.Path) {
			f.proxies[i].ServeHTTP(w, r)
			return
		}
	}
	serve.Failure(w, http.StatusNotFound, fmt.Sprintf("no route for the host %q and the path %q", host, r.URL.Path))
}
