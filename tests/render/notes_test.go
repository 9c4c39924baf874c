package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/strvals"
)

// The notes describe the remaining manual steps of the access mode, and list unused values.
func TestNotes(t *testing.T) {
	t.Parallel()
	const head = "The GitOps runtime production is installed in namespace codefresh.\n\n  Platform:    https://g.codefresh.io\n"
	const next = "app-proxy registers the runtime at startup, and stores the runtime's token in the Secret codefresh-token; the other programs\nwait for that Secret.\n" +
		"  kubectl logs -n codefresh deploy/cap-app-proxy\n\n" +
		"Test every component:\n  helm test cf -n codefresh --logs\n\n" +
		"Next: set the Git credentials of the runtime, and a Git token for your user, at https://g.codefresh.io/2.0/account-settings/runtimes.\n\n" +
		"To uninstall the runtime and remove it from the account: helm uninstall cf -n codefresh\n" +
		"Its hooks run in the installer image; --no-hooks removes a runtime that was never registered without that image.\n"
	const tunnel = "  Access mode: tunnel\n  Public URL:  https://5f9d1e2b3c4d5e6f7a8b9c0d-production.tunnels.cf-cd.com\n\n" +
		"The tunnel client keeps the connection to register-tunnels.cf-cd.com open; no inbound access to your cluster is needed.\n" +
		"  kubectl logs -n codefresh deploy/codefresh-tunnel-client\n\n"
	const public = "  Public URL:  https://runtime.example.com\n\n"
	for name, test := range map[string]struct{ mode, set, body string }{
		"tunnel": {"tunnel", "", tunnel},
		"unused values": {"tunnel", "global.runtime.ingressUrl=https://runtime.example.com,global.integrations.argo-cd.server.svc=argocd-server", tunnel +
			"Not used: global.runtime.ingressUrl, since access is by tunnel. A service mesh needs tunnel-client, ingress and httpRoute off.\n\n" +
			"Not used: the Argo CD in global.integrations.argo-cd, since this release installs one. Set argo-cd.enabled=false to use the external one.\n\n"},
		"values of an older distribution of Argo CD": {"tunnel", "argo-cd.eventReporter.enabled=true,argo-cd.acrController.enabled=false", tunnel +
			"Not used: argo-cd.acrController. It was the application change revision controller of an older distribution of Argo CD, which this one does not contain. Remove it.\n\n" +
			"Not used: argo-cd.eventReporter. It reported events in an older distribution of Argo CD; the runtime's event reporters do it now. Remove it.\n\n"},
		"ingress": {"ingress", "", "  Access mode: ingress\n" + public +
			"Make sure that runtime.example.com resolves to your ingress controller (nginx).\n  kubectl get ingress -n codefresh codefresh-gitops-runtime\n\n"},
		"ingress without a class": {"ingress", "global.runtime.ingress.className=", "  Access mode: ingress\n" + public +
			"Make sure that runtime.example.com resolves to your ingress controller.\n  kubectl get ingress -n codefresh codefresh-gitops-runtime\n\n"},
		"gateway": {"gateway", "", "  Access mode: gateway\n" + public +
			"Make sure that runtime.example.com resolves to your Gateway.\n  kubectl get httproute -n codefresh codefresh-gitops-runtime\n\n"},
		"mesh": {"mesh", "", "  Access mode: mesh\n" + public +
			"Configure your service mesh to route https://runtime.example.com with the paths /webhooks, /workflows, /app-proxy\nto internal-router.codefresh.svc, port 80.\n\n"},
		"mesh with a route": {"istio", "", "  Access mode: mesh\n" + public +
			"The VirtualService routes from your service mesh to the runtime; make sure that your mesh accepts it.\n  kubectl get virtualservice -n codefresh\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := strvals.Parse(test.set)
			assert.NoError(t, err)
			values := chartutil.CoalesceTables(set, ci(t, "gitops-runtime", test.mode))
			assert.Equal(t, head+test.body+next, strings.TrimPrefix(installed(t, "gitops-runtime", values).Info.Notes, "\n"))
		})
	}
}
