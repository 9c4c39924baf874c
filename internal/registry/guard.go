package registry

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/registry/fault"
)

// guard refuses to send anything where a registry points, but the user does not expect it: from TLS to plain HTTP, to a link-local address, and to a
// loopback or private address unless the registry has one itself. A registry points elsewhere with the realm of a login, and with redirects.
// go-containerregistry refuses some of these since 0.21.5, but no host names that resolve to such an address.
type guard struct {
	base http.RoundTripper
	// named are hosts, with or without port, that the user names in flags and that may have any address.
	named map[string]bool
	mu    sync.Mutex
	// inside are hosts, with port, that have a loopback or private address.
	inside map[string]bool
	// pointed are hosts, with port, that a registry with a public address points to, each with the error if its own address is not public.
	pointed map[string]error
}

func newGuard(a Access) *guard {
	named := map[string]bool{}
	for _, host := range a.Rewrite {
		named[host] = true
	}
	for _, host := range a.PlainHTTP {
		named[host] = true
	}
	return &guard{base: a.Transport, named: named, inside: map[string]bool{}, pointed: map[string]error{}}
}

// realms matches the address in a header such as `Bearer realm="https://auth.example.com/token",service="registry"`.
var realms = regexp.MustCompile(`(?i)\brealm\s*=\s*(?:"([^"]*)"|([^\s,"]+))`)

// RoundTrip sends a request, and refuses a response that points to a forbidden place.
func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if hops(request) > maxHops {
		return nil, &fault.UserError{Message: fmt.Sprintf("%s redirects more than %d times; check the name of the registry", request.URL.Host, maxHops)}
	}
	response, err := g.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	for _, challenge := range response.Header.Values("WWW-Authenticate") {
		if !strings.Contains(strings.ToLower(challenge), "bearer") {
			continue // the realm of Basic is a name, not an address
		}
		for _, found := range realms.FindAllStringSubmatch(challenge, -1) {
			if realm, parsed := url.Parse(found[1] + found[2]); parsed == nil {
				err = firstError(err, g.check(request.URL, realm, "asks for a login at"))
			}
		}
	}
	if place, none := response.Location(); none == nil {
		err = firstError(err, g.check(request.URL, place, "redirects to"))
	}
	if err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	return response, nil
}

// maxHops is the maximum number of redirects of one request, below that of net/http; go-containerregistry 0.22 follows some without end.
const maxHops = 8

// hops returns the number of redirects that led to a request.
func hops(request *http.Request) int {
	count := 0
	for request.Response != nil && request.Response.Request != nil {
		request = request.Response.Request
		count++
	}
	return count
}

func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// check returns an error if a place that a registry points to is forbidden.
func (g *guard) check(from, to *url.URL, how string) error {
	refuse := func(why, fix string) error {
		return &fault.UserError{Message: fmt.Sprintf(
			"%s %s %s, %s; nothing was sent there. %s", from.Host, how, cleantext.Line(cleantext.Short(to.Scheme+"://"+to.Host+to.Path)), why, fix)}
	}
	const report = "Check the name of the registry, or report this to its operator"
	trust := fmt.Sprintf("If you trust this host, name it: --reach %[1]s=%[1]s", cleantext.Line(cleantext.Short(to.Host)))
	switch {
	case to.Scheme != "https" && to.Scheme != "http":
		return refuse("which is not HTTPS", report)
	case to.Scheme == "http" && from.Scheme == "https":
		return refuse("which gives up TLS", report)
	case withPort(to) == withPort(from), g.named[to.Host], g.named[to.Hostname()]:
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	near := g.inside[withPort(from)] || internal(from.Hostname()) != ""
	if kind := internal(to.Hostname()); kind == linkLocal || kind != "" && !near {
		return refuse("which is "+kind, report)
	}
	if !near {
		g.pointed[withPort(to)] = refuse("which has a link-local, loopback or private address", trust)
	}
	return nil
}

// dial connects to a host. It records which hosts are inside the user's network, and refuses the addresses of hosts that may not be.
func (g *guard) dial(ctx context.Context, network, host string) (net.Conn, error) {
	g.mu.Lock()
	refusal := g.pointed[host]
	g.mu.Unlock()
	dialer := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		name, _, err := net.SplitHostPort(address)
		if err == nil && internal(name) != "" {
			return refusal
		}
		return err
	}}
	connection, err := dialer.DialContext(ctx, network, host)
	if err != nil {
		return nil, err
	}
	if name, _, err := net.SplitHostPort(connection.RemoteAddr().String()); err == nil && internal(name) != "" {
		g.mu.Lock()
		g.inside[host] = true
		g.mu.Unlock()
	}
	return connection, nil
}

const linkLocal = "a link-local address"

// internal describes an address that is not public; "" for a public one and for a name.
func internal(host string) string {
	if name := strings.TrimSuffix(strings.ToLower(host), "."); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return "this machine"
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	switch address = address.WithZone("").Unmap(); {
	case address.IsLoopback(), address.IsUnspecified():
		return "this machine"
	case address.IsLinkLocalUnicast(), address.IsLinkLocalMulticast(), address == netip.MustParseAddr("fd00:ec2::254"):
		return linkLocal
	case address.IsPrivate():
		return "a private address"
	}
	return ""
}

// withPort returns the host of an address, always with its port.
func withPort(address *url.URL) string {
	port := address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	return net.JoinHostPort(address.Hostname(), port)
}
