package selftest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Route is a path of internal-router and the address that it routes to.
type Route struct{ Path, Target string }

// ParseRoute reads "/path=http://target/path".
func ParseRoute(text string) (Route, error) {
	path, target, found := strings.Cut(text, "=")
	if !found || !strings.HasPrefix(path, "/") || !strings.Contains(target, "://") {
		return Route{}, fmt.Errorf("%q names no route; write /path=http://host/path", text)
	}
	return Route{Path: path, Target: target}, nil
}

// RouterOptions are the routes of internal-router.
type RouterOptions struct {
	// URL is the address of internal-router's Service.
	URL string
	// Routes have one target each.
	Routes []Route
	// Sources are paths of event sources that do not exist.
	Sources []string
}

// unavailable is internal-router's response if it knows the route but the target is unavailable.
const unavailable = `{"error":"the target of this route is away"}`

// page is part of the error pages of nginx itself.
const page = "<center>nginx"

// Router sends a request to every route through internal-router, and directly to its target: the responses have to match. A path of event sources
// has to be routed, even if the event source is unavailable.
func Router(ctx context.Context, s Surroundings, o RouterOptions, report *Report) {
	fix := fmt.Sprintf("look at the configuration and the log of internal-router: kubectl logs -n %s -l app=internal-router", s.Namespace)
	for _, route := range o.Routes {
		address := o.URL + route.Path
		got, err := s.matches(ctx, s.HTTP, address, route.Target)
		report.Add(Check{
			Name: "router" + route.Path, Title: "internal-router routes it to " + route.Target,
			Asked: "GET " + address + " and GET " + route.Target, Fix: fix,
		}, got, err)
	}
	for _, path := range o.Sources {
		address := o.URL + path
		got, err := s.until(ctx, func(ctx context.Context) (bool, string, error) {
			answer, err := s.ask(ctx, s.HTTP, address)
			if err != nil {
				return false, "", err
			}
			return answer.status == http.StatusBadGateway && answer.body == unavailable, fmt.Sprintf("HTTP %d", answer.status), nil
		})
		report.Add(Check{
			Name: "router" + path, Title: "internal-router looks for an event source of that name",
			Asked: "GET " + address + ", of which no event source is", Fix: fix,
		}, got, err)
	}
}

// matches requests an address, and its target directly, until status and content type are equal. Bodies may differ with time and path, so they are
// compared only for errors, where another body means that a proxy responds.
func (s Surroundings) matches(ctx context.Context, client *http.Client, address, direct string) (string, error) {
	return s.until(ctx, func(ctx context.Context) (bool, string, error) {
		want, err := s.ask(ctx, s.Unverified, direct)
		if err != nil {
			return false, "", fmt.Errorf("of the target itself: %w", err)
		}
		got, err := s.ask(ctx, client, address)
		if err != nil {
			return false, "", err
		}
		state := fmt.Sprintf("HTTP %d", got.status)
		switch {
		case got.body == unavailable:
			return false, state + ", internal-router does not reach its target", nil
		case strings.Contains(got.body, page):
			return false, state + " of nginx itself", nil
		case got.status != want.status || got.kind != want.kind:
			return false, fmt.Sprintf("%s (%s), and HTTP %d (%s) of the target itself", state, got.kind, want.status, want.kind), nil
		case got.status >= http.StatusBadRequest && got.body != want.body:
			return false, state + " with another text than that of the target itself", nil
		}
		return true, state, nil
	})
}
