package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
	"gitops-runtime/validator/findings"
)

// Each case takes away or contradicts one thing; the render has to fail with the code and the sentence that validate-values uses.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mode, code string
		set              map[string]string
		says             string
	}{
		{"no runtime name", "tunnel", "RUN101", map[string]string{"global.runtime.name": "null"}, ""},
		{"runtime name with a dash", "tunnel", "RUN102", map[string]string{"global.runtime.name": "my-runtime"}, `The runtime name "my-runtime" is not allowed: `},
		{"runtime name of 39 letters", "tunnel", "RUN102", map[string]string{"global.runtime.name": strings.Repeat("a", 39)}, "The runtime name \"" + strings.Repeat("a", 39) + "\" is not allowed: "},
		{"no token", "tunnel", "TOK101", map[string]string{"global.codefresh.userToken.secretKeyRef.name": ""}, ""},
		{"token reference without key", "tunnel", "TOK103", map[string]string{"global.codefresh.userToken.secretKeyRef.key": ""}, "The reference to the user token's Secret has no key."},
		{"CA bundle without content", "tunnel", "CRT101", map[string]string{"global.codefresh.tls.caCerts.secret.create": "true"}, ""},
		{"tunnel without account", "tunnel", "MOD201", map[string]string{"global.codefresh.accountId": ""}, ""},
		{"ingress without hosts", "ingress", "MOD301", map[string]string{"global.runtime.ingress.hosts": "null"}, ""},
		{"gateway without hosts", "gateway", "MOD601", map[string]string{"global.runtime.httpRoute.hostnames": "null"}, ""},
		{"gateway without parent", "gateway", "MOD602", map[string]string{"global.runtime.httpRoute.parentRefs": "null"}, ""},
		{"ingress and gateway", "ingress", "MOD101", map[string]string{"global.runtime.httpRoute.enabled": "true"}, ""},
		{"no mode", "mesh", "MOD102", map[string]string{"global.runtime.ingressUrl": ""}, ""},
		{"mesh URL without scheme", "mesh", "MOD801", map[string]string{"global.runtime.ingressUrl": "runtime.example.com"}, "global.runtime.ingressUrl is not an http or https URL: runtime.example.com."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := umbrella(test.mode, test.set).Text(t)
			require.Error(t, err)
			definition, known := findings.Lookup(test.code)
			require.True(t, known, "%s is not in the validator's table", test.code)
			says := test.says
			if says == "" {
				says = definition.Sentence
			}
			assert.Contains(t, err.Error(), test.code+": "+says)
			assert.Contains(t, err.Error(), "\n  fix: ")
		})
	}
}

func TestTunnelLeadsToTheRouter(t *testing.T) {
	t.Parallel()
	_, err := umbrella("tunnel", map[string]string{"internal-router.service.port": "81"}).Text(t)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "The tunnel leads to internal-router:80, but the router's Service is internal-router:81.\n  fix: --set tunnel-client.target.host=internal-router,tunnel-client.target.port=81")
	_, err = umbrella("tunnel", map[string]string{"internal-router.service.port": "81", "tunnel-client.target.port": "81"}).Text(t)
	assert.NoError(t, err)
}

// A name that is emptied falls back to the one the chart would give, wherever it is referred to.
func TestEmptiedNamesAreFollowed(t *testing.T) {
	t.Parallel()
	objects := umbrella("tunnel", map[string]string{"argo-cd.fullnameOverride": "", "argo-workflows.fullnameOverride": ""}).Objects(t)
	settings := render.Find(objects, "ConfigMap", "cap-app-proxy-cm").Object["data"].(map[string]any)
	for kind, url := range map[string]any{"argocd-server": settings["argoCdUrl"], "argo-workflows-server": settings["argoWorkflowsUrl"]} {
		assert.Contains(t, url, "http://cf-"+kind+".codefresh.svc.cluster.local")
		assert.NotNil(t, render.Find(objects, "Service", "cf-"+kind), kind)
	}
}
