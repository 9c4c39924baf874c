package install

import (
	"fmt"
	"slices"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/kindcluster"
)

// The local runtime: its release, its name in the account, and the account and user that the platform's stand-in knows.
const (
	Namespace = "codefresh"
	Release   = "cf-gitops-runtime"
	Name      = "local"
	AccountID = "acc1"
	UserToken = "user-token-admin"
)

// PlatformHost is the name of the platform's stand-in; this machine reaches it at the port kindcluster.HTTPS.
const PlatformHost = "platform.platform.svc.cluster.local"

const (
	tunnelHost  = "tunnels.platform.svc.cluster.local"
	traefikHost = "traefik.traefik.svc.cluster.local"
	meshHost    = "mesh-gateway.platform.svc.cluster.local"
)

// mode is an access mode of the runtime on the local cluster.
type mode struct {
	name   images.Mode
	values map[string]any
	// platform adds to the platform what the mode needs: a tunnel server, an ingress controller, a Gateway, a mesh gateway.
	platform func(*addons.Options)
	Endpoint
}

// Endpoint is the address of the runtime in a mode for this machine: a scheme, a host name, and a port of 127.0.0.1.
type Endpoint struct {
	Scheme, Host string
	Port         int
}

// EndpointOf returns the endpoint of the runtime in a mode.
func EndpointOf(name images.Mode) (Endpoint, error) {
	mode, err := lookUpMode(name)
	return mode.Endpoint, err
}

// modes returns the access modes that the local cluster supports.
func modes() []mode {
	return []mode{
		{
			name: images.Tunnel,
			values: map[string]any{
				"tunnel-client": map[string]any{"tunnelServer": map[string]any{"host": tunnelHost, "subdomainHost": addons.SubdomainHost}},
			},
			platform: func(*addons.Options) {}, // objectsFor keeps the tunnel server
			Endpoint: Endpoint{Scheme: "https", Host: fmt.Sprintf("%s-%s.%s", AccountID, Name, addons.SubdomainHost), Port: kindcluster.HTTPS.Host},
		},
		{
			name: images.Ingress,
			values: map[string]any{
				"global": map[string]any{"runtime": map[string]any{"ingress": map[string]any{
					"enabled": true, "className": "traefik", "protocol": "http", "hosts": []any{traefikHost},
				}}},
			},
			platform: func(o *addons.Options) { o.Ingress = true },
			Endpoint: Endpoint{Scheme: "http", Host: traefikHost, Port: kindcluster.HTTP.Host},
		},
		{
			name: images.Gateway,
			values: map[string]any{
				"global": map[string]any{"runtime": map[string]any{"httpRoute": map[string]any{
					"enabled": true, "protocol": "http", "hostnames": []any{traefikHost},
					"parentRefs": []any{map[string]any{"name": "public", "namespace": "traefik"}},
				}}},
			},
			platform: func(o *addons.Options) { o.Gateway = true },
			Endpoint: Endpoint{Scheme: "http", Host: traefikHost, Port: kindcluster.HTTP.Host},
		},
		{
			name: images.Mesh,
			values: map[string]any{
				"global":        map[string]any{"runtime": map[string]any{"ingressUrl": "http://" + meshHost}},
				"tunnel-client": map[string]any{"enabled": false},
			},
			platform: func(o *addons.Options) { o.Mesh = true },
			Endpoint: Endpoint{Scheme: "http", Host: meshHost, Port: kindcluster.HTTP.Host},
		},
	}
}

// lookUpMode returns a mode by name.
func lookUpMode(name images.Mode) (mode, error) {
	table := modes()
	at := slices.IndexFunc(table, func(m mode) bool { return m.name == name })
	if at < 0 {
		return mode{}, fmt.Errorf("access mode %q: the local cluster knows tunnel, ingress, gateway and mesh", name)
	}
	return table[at], nil
}

// curl returns a command line that requests a path of the runtime from this machine.
func (e Endpoint) curl(caFile, path string) string {
	if e.Scheme == "https" {
		return fmt.Sprintf("curl --cacert %s --resolve %s:%d:127.0.0.1 https://%s:%d%s", caFile, e.Host, e.Port, e.Host, e.Port, path)
	}
	return fmt.Sprintf("curl --resolve %s:%d:127.0.0.1 http://%s:%d%s", e.Host, e.Port, e.Host, e.Port, path)
}
