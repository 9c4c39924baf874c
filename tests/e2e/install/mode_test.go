package install

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/images"
)

func TestCurlLines(t *testing.T) {
	t.Parallel()
	for mode, want := range map[images.Mode]string{
		images.Tunnel:  "curl --cacert ca.pem --resolve acc1-local.tunnels.svc.cluster.local:8443:127.0.0.1 https://acc1-local.tunnels.svc.cluster.local:8443/app-proxy/hello",
		images.Ingress: "curl --resolve traefik.traefik.svc.cluster.local:8080:127.0.0.1 http://traefik.traefik.svc.cluster.local:8080/app-proxy/hello",
		images.Gateway: "curl --resolve traefik.traefik.svc.cluster.local:8080:127.0.0.1 http://traefik.traefik.svc.cluster.local:8080/app-proxy/hello",
		images.Mesh:    "curl --resolve mesh-gateway.platform.svc.cluster.local:8080:127.0.0.1 http://mesh-gateway.platform.svc.cluster.local:8080/app-proxy/hello",
	} {
		endpoint, err := EndpointOf(mode)
		require.NoError(t, err)
		assert.Equal(t, want, endpoint.curl("ca.pem", "/app-proxy/hello"))
	}
	_, err := EndpointOf("hyperloop")
	assert.EqualError(t, err, `access mode "hyperloop": the local cluster knows tunnel, ingress, gateway and mesh`)
}

func TestValuesOfModes(t *testing.T) {
	t.Parallel()
	const every = `
app-proxy:
  initContainer: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
  leader-elector: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
  resources: {requests: {cpu: 10m, memory: 16Mi}}
internal-router: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
sealed-secrets: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
argo-gateway: {hpa: {enabled: false}, resources: {requests: {cpu: 10m, memory: 16Mi}}}
gitops-operator: {resources: {requests: {cpu: 10m, memory: 16Mi}}}`
	for mode, want := range map[images.Mode]string{
		images.Tunnel: `
global:
  codefresh: {accountId: acc1, tls: {caCerts: {secret: {content: PEM, create: true}}}, url: https://platform.platform.svc.cluster.local, userToken: {token: user-token-admin}}
  runtime: {name: local}
  event-reporters: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
tunnel-client: {tunnelServer: {host: tunnels.platform.svc.cluster.local, subdomainHost: tunnels.svc.cluster.local}}`,
		images.Ingress: `
global:
  codefresh: {accountId: acc1, tls: {caCerts: {secret: {content: PEM, create: true}}}, url: https://platform.platform.svc.cluster.local, userToken: {token: user-token-admin}}
  runtime: {name: local, ingress: {enabled: true, className: traefik, protocol: http, hosts: [traefik.traefik.svc.cluster.local]}}
  event-reporters: {resources: {requests: {cpu: 10m, memory: 16Mi}}}`,
		images.Gateway: `
global:
  codefresh: {accountId: acc1, tls: {caCerts: {secret: {content: PEM, create: true}}}, url: https://platform.platform.svc.cluster.local, userToken: {token: user-token-admin}}
  runtime:
    name: local
    httpRoute: {enabled: true, protocol: http, hostnames: [traefik.traefik.svc.cluster.local], parentRefs: [{name: public, namespace: traefik}]}
  event-reporters: {resources: {requests: {cpu: 10m, memory: 16Mi}}}`,
		images.Mesh: `
global:
  codefresh: {accountId: acc1, tls: {caCerts: {secret: {content: PEM, create: true}}}, url: https://platform.platform.svc.cluster.local, userToken: {token: user-token-admin}}
  runtime: {name: local, ingressUrl: http://mesh-gateway.platform.svc.cluster.local}
  event-reporters: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
tunnel-client: {enabled: false}`,
	} {
		got, err := Values(mode, []byte("PEM"), false)
		require.NoError(t, err)
		var wanted any
		require.NoError(t, yaml.Unmarshal([]byte(want+every), &wanted))
		text, err := yaml.Marshal(wanted)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(got), mode)
		got, err = Values(mode, []byte("PEM"), true)
		require.NoError(t, err)
		assert.NotContains(t, string(got), "requests")
	}
}
