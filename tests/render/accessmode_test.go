package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	networkingv1 "k8s.io/api/networking/v1"

	"gitops-runtime/tests/render"
)

func TestAccessModeRendersItsObjectsAndURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mode    string
		set     map[string]string
		url     string
		objects []string
	}{
		{"tunnel", nil, "https://5f9d1e2b3c4d5e6f7a8b9c0d-production.tunnels.cf-cd.com", []string{"Deployment/codefresh-tunnel-client"}},
		{"tunnel", map[string]string{"tunnel-client.tunnelServer.subdomainHost": "t.example.com"}, "https://5f9d1e2b3c4d5e6f7a8b9c0d-production.t.example.com", []string{"Deployment/codefresh-tunnel-client"}},
		{"ingress", nil, "https://runtime.example.com", []string{"Ingress/codefresh-gitops-runtime"}},
		{"ingress", map[string]string{"global.runtime.ingress.protocol": "http"}, "http://runtime.example.com", []string{"Ingress/codefresh-gitops-runtime"}},
		{"gateway", nil, "https://runtime.example.com", []string{"HTTPRoute/codefresh-gitops-runtime"}},
		{"mesh", nil, "https://runtime.example.com", []string{}},
		{"mesh", map[string]string{"global.runtime.ingressUrl": "http://runtime.example.com/"}, "http://runtime.example.com", []string{}},
	} {
		t.Run(test.mode+" "+test.url, func(t *testing.T) {
			t.Parallel()
			objects := umbrella(test.mode, test.set).Objects(t)
			var found []string
			for _, name := range render.Names(objects, "Ingress", "HTTPRoute", "Deployment") {
				if name == "Deployment/codefresh-tunnel-client" || name == "Ingress/codefresh-gitops-runtime" || name == "HTTPRoute/codefresh-gitops-runtime" {
					found = append(found, name)
				}
			}
			assert.ElementsMatch(t, test.objects, found)
			settings := render.Find(objects, "ConfigMap", "codefresh-cm")
			require.NotNil(t, settings)
			assert.Equal(t, test.url, settings.Object["data"].(map[string]any)["ingressHost"])
		})
	}
}

func TestIngressRoutesToTheRouter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		workflows string
		paths     []string
	}{
		{"true", []string{"/webhooks", "/workflows", "/app-proxy"}},
		{"false", []string{"/webhooks", "/app-proxy"}},
	} {
		set := map[string]string{"argo-workflows.enabled": test.workflows, "app-proxy.image-enrichment.enabled": test.workflows}
		ingress, err := render.As[networkingv1.Ingress](render.Find(umbrella("ingress", set).Objects(t), "Ingress", "codefresh-gitops-runtime"))
		require.NoError(t, err)
		var paths []string
		for _, path := range ingress.Spec.Rules[0].HTTP.Paths {
			paths = append(paths, path.Path)
			assert.Equal(t, networkingv1.IngressServiceBackend{Name: "internal-router", Port: networkingv1.ServiceBackendPort{Number: 80}}, *path.Backend.Service)
		}
		assert.Equal(t, test.paths, paths)
	}
}
