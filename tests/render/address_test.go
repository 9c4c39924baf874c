package render_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// portedAddress matches the address of a Service of the release, with an optional port.
var portedAddress = regexp.MustCompile(`(?:(https?)://)?([a-z0-9-]+)\.codefresh\.svc(?:\.[a-z.]+)?(?::(\d+))?`)

// With any names and ports of subcharts, each address in the runtime's objects belongs to a Service of the release and one of its ports.
func TestEveryAddressIsThatOfAService(t *testing.T) {
	t.Parallel()
	for title, set := range map[string]map[string]string{
		"defaults": nil,
		"names": {
			"argo-cd.fullnameOverride": `"cd"`, "argo-cd.server.name": `"api"`, "argo-cd.repoServer.name": `"repo"`, "argo-cd.redis.name": `"cache"`,
			"argo-workflows.fullnameOverride": `"wf"`, "argo-workflows.server.name": `"ui"`, "argo-rollouts.fullnameOverride": `"ro"`, "argo-events.fullnameOverride": `"ev"`,
			"app-proxy.fullnameOverride": `"proxy"`, "internal-router.fullnameOverride": `"router"`, "tunnel-client.target.host": `"router"`, "redis.fullnameOverride": `"kv"`,
			"redis.enabled": "true",
		},
		"name of Argo CD": {"argo-cd.fullnameOverride": `null`, "argo-cd.nameOverride": `"other"`, "argo-workflows.fullnameOverride": `null`, "argo-workflows.nameOverride": `"flows"`},
		"ports": {
			"argo-cd.server.service.servicePortHttp": "8001", "argo-cd.repoServer.service.port": "8002", "argo-cd.redis.servicePort": "8003", "argo-workflows.server.servicePort": "8004",
			"app-proxy.service.port": "8005", "internal-router.service.port": "8006", "tunnel-client.target.port": "8006", "redis.enabled": "true",
		},
		"TLS and root paths": {
			`argo-cd.configs.params.server\.insecure`: "false", `argo-cd.configs.params.server\.rootpath`: `"/argo"`, "argo-cd.server.service.servicePortHttps": "8443",
			"argo-workflows.server.secure": "true", "argo-workflows.server.baseHref": `"/flows/"`,
		},
		"replicated Redis":                       {"argo-cd.redis-ha.enabled": "true", "argo-cd.fullnameOverride": `"cd"`},
		"Redis and its replicas without a proxy": {"argo-cd.redis-ha.enabled": "true", "argo-cd.redis-ha.haproxy.enabled": "false", "redis.enabled": "true"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: set}.Objects(t)
			services := map[string]corev1.ServiceSpec{}
			for i := range objects {
				if objects[i].GetKind() == "Service" {
					service, err := render.As[corev1.Service](&objects[i])
					require.NoError(t, err)
					services[service.Name] = service.Spec
				}
			}
			found := 0
			for _, object := range objects {
				text, err := yaml.Marshal(object.Object)
				require.NoError(t, err)
				for _, match := range portedAddress.FindAllStringSubmatch(string(text), -1) {
					found++
					where := fmt.Sprintf("%s/%s: %s", object.GetKind(), object.GetName(), match[0])
					service, ok := services[match[2]]
					if !assert.True(t, ok, where) || match[3] == "" {
						continue
					}
					port, err := strconv.Atoi(match[3])
					require.NoError(t, err)
					assert.True(t, slices.ContainsFunc(service.Ports, func(of corev1.ServicePort) bool { return int(of.Port) == port }), where)
				}
			}
			assert.Greater(t, found, 10)
		})
	}
}
