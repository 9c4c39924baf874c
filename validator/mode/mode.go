// Package mode determines the access mode of a runtime, with the same rule as the chart: ingress or gateway if enabled, otherwise the tunnel if
// enabled, otherwise an existing service mesh.
package mode

import "strings"

// Mode is one of the access modes.
type Mode string

// The access modes.
const (
	Ingress Mode = "ingress"
	Gateway Mode = "gateway"
	Tunnel  Mode = "tunnel"
	Mesh    Mode = "mesh"
	// None is chosen if the values configure no access.
	None Mode = "none"
)

// Reader reads the values that determine the mode.
type Reader interface {
	String(path, fallback string) string
	Bool(path string, fallback bool) bool
	List(path string) []any
}

// Choose returns the access mode that the values configure.
func Choose(values Reader) Mode {
	switch {
	case values.Bool("global.runtime.ingress.enabled", false):
		return Ingress
	case values.Bool("global.runtime.httpRoute.enabled", false):
		return Gateway
	case values.Bool("tunnel-client.enabled", true):
		return Tunnel
	case values.String("global.runtime.ingressUrl", "") != "":
		return Mesh
	}
	return None
}

// URL returns the runtime's public URL in the chosen mode, "" if a value that it consists of is missing.
func URL(values Reader) string {
	switch Choose(values) {
	case Ingress:
		return first(values, "global.runtime.ingress.protocol", "global.runtime.ingress.hosts")
	case Gateway:
		return first(values, "global.runtime.httpRoute.protocol", "global.runtime.httpRoute.hostnames")
	case Mesh:
		return strings.TrimRight(values.String("global.runtime.ingressUrl", ""), "/")
	case Tunnel:
		account, name := values.String("global.codefresh.accountId", ""), values.String("global.runtime.name", "")
		if account == "" || name == "" {
			return ""
		}
		return "https://" + account + "-" + name + "." + values.String("tunnel-client.tunnelServer.subdomainHost", SubdomainHost)
	}
	return ""
}

// SubdomainHost is the default of tunnel-client.tunnelServer.subdomainHost.
const SubdomainHost = "tunnels.cf-cd.com"

func first(values Reader, protocol, hosts string) string {
	list := values.List(hosts)
	if len(list) == 0 {
		return ""
	}
	name, isText := list[0].(string)
	if !isText || name == "" {
		return ""
	}
	return values.String(protocol, "https") + "://" + name
}
