package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
	"gitops-runtime/validator/findings"
)

// Each case removes or contradicts one value; the render fails with the code and the sentence of validate-values.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mode, code string
		set              map[string]string
		sentence         string
	}{
		{"no runtime name", "tunnel", "RUN101", map[string]string{"global.runtime.name": "null"}, ""},
		{"runtime name with a trailing dash", "tunnel", "RUN102", map[string]string{"global.runtime.name": "my-"}, `The runtime name "my-" is not allowed: `},
		{"runtime name of 64 letters", "tunnel", "RUN102", map[string]string{"global.runtime.name": strings.Repeat("a", 64)}, "The runtime name \"" + strings.Repeat("a", 64) + "\" is not allowed: "},
		{"no token", "tunnel", "TOK101", map[string]string{"global.codefresh.userToken.secretKeyRef": "null"}, ""},
		{"token reference without name", "tunnel", "TOK103", map[string]string{"global.codefresh.userToken.secretKeyRef.name": ""}, "The reference to the user token's Secret has no name."},
		{"token reference without key", "tunnel", "TOK103", map[string]string{"global.codefresh.userToken.secretKeyRef.key": ""}, "The reference to the user token's Secret has no key."},
		{"CA bundle without content", "tunnel", "CRT101", map[string]string{"global.codefresh.tls.caCerts.secret.create": "true"}, ""},
		{"CA reference without name", "tunnel", "CRT108", map[string]string{"global.codefresh.tls.caCerts.secretKeyRef.key": "ca.crt"}, "The reference to the CA bundle's Secret has no name."},
		{"Git password reference without name", "tunnel", "GIT101", map[string]string{"global.runtime.gitCredentials.password.secretKeyRef.key": "token"}, "The reference to the Git password's Secret has no name."},
		{"platform without TLS", "mesh", "ACC105", map[string]string{"global.codefresh.url": "http://platform.example.com"}, `global.codefresh.url is http://platform.example.com: tokens would travel unencrypted.`},
		{"platform without scheme", "mesh", "ACC102", map[string]string{"global.codefresh.url": "g.codefresh.io"}, `global.codefresh.url is not a URL of a platform: "g.codefresh.io".`},
		{"tunnel server with scheme", "tunnel", "MOD202", map[string]string{"tunnel-client.tunnelServer.host": "wss://tunnels.example.com"}, `tunnel-client.tunnelServer.host is not a host name: "wss://tunnels.example.com".`},
		{"ingress host with scheme", "ingress", "MOD302", map[string]string{"global.runtime.ingress.hosts[0]": "https://runtime.example.com"}, `"https://runtime.example.com" is not a host name.`},
		{"ingress host in upper case", "ingress", "MOD302", map[string]string{"global.runtime.ingress.hosts[1]": "Runtime.example.com"}, `"Runtime.example.com" is not a host name.`},
		{"public host with a wildcard", "ingress", "MOD302", map[string]string{"global.runtime.ingress.hosts[0]": "*.example.com"}, `"*.example.com" is not a host name.`},
		{"route host with path", "gateway", "MOD302", map[string]string{"global.runtime.httpRoute.hostnames[0]": "runtime.example.com/x"}, `"runtime.example.com/x" is not a host name.`},
		{"gateway without a parent's name", "gateway", "MOD602", map[string]string{"global.runtime.httpRoute.parentRefs[0].name": ""}, ""},
		{"mesh URL without host", "mesh", "MOD801", map[string]string{"global.runtime.ingressUrl": "https:///x"}, "global.runtime.ingressUrl is not an http or https URL: https:///x."},
		{"tunnel without account", "tunnel", "MOD201", map[string]string{"global.codefresh.accountId": ""}, ""},
		{"ingress without hosts", "ingress", "MOD301", map[string]string{"global.runtime.ingress.hosts": "null"}, ""},
		{"gateway without hosts", "gateway", "MOD601", map[string]string{"global.runtime.httpRoute.hostnames": "null"}, ""},
		{"gateway without parent", "gateway", "MOD602", map[string]string{"global.runtime.httpRoute.parentRefs": "null"}, ""},
		{"ingress and gateway", "ingress", "MOD101", map[string]string{"global.runtime.httpRoute.enabled": "true"}, ""},
		{"no mode", "mesh", "MOD102", map[string]string{"global.runtime.ingressUrl": ""}, ""},
		{"mesh URL with a password", "mesh", "MOD801", map[string]string{"global.runtime.ingressUrl": "https://u:p@a.example.com"}, "global.runtime.ingressUrl is not an http or https URL: https://***@a.example.com."},
		{"platform with a password", "mesh", "ACC102", map[string]string{"global.codefresh.url": "https://u:p@a.example.com/x@y"}, `global.codefresh.url is not a URL of a platform: "https://***@a.example.com/x@y".`},
		{"mesh URL without scheme", "mesh", "MOD801", map[string]string{"global.runtime.ingressUrl": "runtime.example.com"}, "global.runtime.ingressUrl is not an http or https URL: runtime.example.com."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := umbrella(test.mode, test.set).Text(t)
			require.Error(t, err)
			definition, known := findings.Lookup(test.code)
			require.True(t, known, "%s is not in the validator's table", test.code)
			sentence := test.sentence
			if sentence == "" {
				sentence = definition.Sentence
			}
			assert.Contains(t, err.Error(), test.code+": "+sentence)
			assert.Contains(t, err.Error(), "\n  fix: ")
		})
	}
}

// A trailing slash of the platform URL is removed, and the origin of CORS has no path.
func TestPlatformURLIsNormalized(t *testing.T) {
	t.Parallel()
	for url, base := range map[string]string{"https://platform.example.com/": "https://platform.example.com", "https://platform.example.com/cf": "https://platform.example.com/cf"} {
		objects := umbrella("tunnel", map[string]string{"global.codefresh.url": url}).Objects(t)
		assert.Equal(t, base, render.Find(objects, "ConfigMap", "codefresh-cm").Object["data"].(map[string]any)["base-url"])
		assert.Equal(t, "https://platform.example.com", render.Find(objects, "ConfigMap", "cap-app-proxy-cm").Object["data"].(map[string]any)["cors"])
	}
}

func TestTunnelRoutesToTheRouter(t *testing.T) {
	t.Parallel()
	_, err := umbrella("tunnel", map[string]string{"internal-router.service.port": "81"}).Text(t)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "SCH304: The tunnel routes to internal-router:80, but the Service of internal-router is internal-router:81.\n  fix: --set tunnel-client.target.host=internal-router,tunnel-client.target.port=81")
	_, err = umbrella("tunnel", map[string]string{"internal-router.service.port": "81", "tunnel-client.target.port": "81"}).Text(t)
	assert.NoError(t, err)
}

// An empty name override falls back to the chart's default name in objects and in references to them.
func TestEmptyNameOverrides(t *testing.T) {
	t.Parallel()
	objects := umbrella("tunnel", map[string]string{"argo-cd.fullnameOverride": "", "argo-workflows.fullnameOverride": ""}).Objects(t)
	settings := render.Find(objects, "ConfigMap", "cap-app-proxy-cm").Object["data"].(map[string]any)
	for kind, url := range map[string]any{"argocd-server": settings["argoCdUrl"], "argo-workflows-server": settings["argoWorkflowsUrl"]} {
		assert.Contains(t, url, "http://cf-"+kind+".codefresh.svc.cluster.local")
		assert.NotNil(t, render.Find(objects, "Service", "cf-"+kind), kind)
	}
}
