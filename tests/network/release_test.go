package network_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/network"
	"gitops-runtime/tests/golden"
)

// release is a rendered case.
type release struct {
	objects  []unstructured.Unstructured
	policies network.Policies
	pods     map[string]network.Endpoint
}

var loaded = sync.OnceValues(func() (golden.Chart, error) {
	root, err := gomodule.Root()
	if err != nil {
		return golden.Chart{}, err
	}
	return golden.Load(context.Background(), root)
})

// restricted returns a case with both directions restricted.
func restricted(t *testing.T, of golden.Case) release {
	t.Helper()
	of.Files = append(slices.Clone(of.Files), "ci/network-policy-values.yaml")
	return caseOf(t, of)
}

func caseOf(t *testing.T, of golden.Case) (made release) {
	t.Helper()
	chart, err := loaded()
	require.NoError(t, err)
	documents, err := chart.Documents(of)
	require.NoError(t, err)
	for _, document := range documents {
		made.objects = append(made.objects, *document.Object)
	}
	made.policies, err = network.Read(made.objects, golden.Namespace)
	require.NoError(t, err)
	made.pods, err = network.Pods(made.objects, golden.Namespace)
	require.NoError(t, err)
	return made
}

// assertEdges compares connections between pods with what the policies allow.
func (r release) assertEdges(t *testing.T, open, closed []edge) {
	t.Helper()
	for _, e := range open {
		assert.True(t, r.allows(t, e), "%s to %s, port %d, has to be open", e.from, e.to, e.port)
	}
	for _, e := range closed {
		assert.False(t, r.allows(t, e), "%s to %s, port %d, must not be open", e.from, e.to, e.port)
	}
}

func (r release) allows(t *testing.T, e edge) bool {
	t.Helper()
	require.Contains(t, r.pods, e.from)
	require.Contains(t, r.pods, e.to)
	return r.policies.Allow(r.pods[e.from], r.pods[e.to], e.port)
}

// With restricted egress, policies select every pod of every case, including hooks and the pods of Argo Events, for both directions. Rules for any
// address leave out those at which clouds hand out the credentials of nodes.
func TestEveryPodHasAPolicyForBothDirections(t *testing.T) {
	t.Parallel()
	for _, of := range golden.Cases() {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			made := restricted(t, of)
			assert.Greater(t, len(made.pods), 3)
			for name, pod := range made.pods {
				assert.NotEmpty(t, made.policies.Selecting(pod, networkingv1.PolicyTypeIngress), "%s, in", name)
				assert.Len(t, made.policies.Selecting(pod, networkingv1.PolicyTypeEgress), 1, "%s, out", name)
				assert.True(t, made.policies.Allow(pod, network.Outside("DNS over TCP"), 53), "%s, DNS", name)
				for _, port := range []int32{80, 8080} {
					assert.False(t, made.policies.Allow(pod, network.Metadata(), port), "%s, metadata", name)
				}
			}
			for _, policy := range made.policies {
				for _, rule := range policy.Spec.Egress {
					for _, peer := range rule.To {
						if peer.IPBlock != nil {
							assert.NotEmpty(t, peer.IPBlock.Except, policy.Name)
						}
					}
				}
			}
		})
	}
}

// A hook's policy exists before its pod: it is a hook of the same events, with a lower weight.
func TestPoliciesOfHooksAreHooks(t *testing.T) {
	t.Parallel()
	objects := restricted(t, golden.Cases()[0]).objects
	for _, name := range []string{"validate-values", "uninstall-runtime", "uninstall-leftovers"} {
		found := map[string]map[string]string{}
		for _, object := range objects {
			if object.GetName() == name {
				found[object.GetKind()] = object.GetAnnotations()
			}
		}
		require.Contains(t, found, "NetworkPolicy", name)
		assert.Equal(t, found["Job"]["helm.sh/hook"], found["NetworkPolicy"]["helm.sh/hook"], name)
		assert.Equal(t, "-20", found["NetworkPolicy"]["helm.sh/hook-weight"], name)
		assert.Equal(t, "-10", found["Job"]["helm.sh/hook-weight"], name)
	}
}

// edge is a connection that has to be possible, or must not be.
type edge struct {
	from, to string
	port     int32
}

const (
	appProxy, router, tunnel  = "Deployment/cap-app-proxy", "Deployment/internal-router", "Deployment/codefresh-tunnel-client"
	server, repo, redis       = "Deployment/argo-cd-server", "Deployment/argo-cd-repo-server", "Deployment/argo-cd-redis"
	controller                = "StatefulSet/argo-cd-application-controller"
	sets, notifications       = "Deployment/argo-cd-applicationset-controller", "Deployment/argo-cd-notifications-controller"
	events, rollouts          = "Deployment/argo-events-controller-manager", "Deployment/argo-rollouts"
	workflows, workflowServer = "Deployment/argo-workflow-controller", "Deployment/argo-server"
	gateway, operator         = "Deployment/argo-gateway", "Deployment/gitops-operator"
	reporter, resources       = "Deployment/runtime-event-reporter", "Deployment/cluster-event-reporter"
	validate, uninstall       = "Job/validate-values", "Job/uninstall-runtime"
	outside, ingress          = "outside", "ingress-controller"
	prometheus, usersSource   = "prometheus", "a user's event source"
	workflowPod               = "a workflow's pod"
	labelled                  = "a program with the label argocd-client"
)

func required() []edge {
	return []edge{
		{router, appProxy, 8080},
		{router, workflowServer, 2746},
		{router, usersSource, 12000},
		{appProxy, server, 8080},
		{appProxy, repo, 8081},
		{appProxy, workflowServer, 2746},
		{appProxy, outside, 443}, // the platform, Git over HTTPS, the API server
		{appProxy, outside, 22},
		{workflowPod, appProxy, 8080},
		{labelled, redis, 6379},
		{labelled, repo, 8081},
		{controller, repo, 8081},
		{controller, redis, 6379},
		{controller, outside, 6443},
		{server, repo, 8081},
		{server, redis, 6379},
		{server, outside, 443},
		{repo, redis, 6379},
		{repo, outside, 22},
		{repo, outside, 443},
		{redis, outside, 6443}, // its init step creates the password
		{sets, repo, 8081},
		{sets, outside, 443},
		{notifications, repo, 8081},
		{notifications, outside, 443},
		{notifications, outside, 587},
		{events, outside, 6443},
		{rollouts, outside, 6443},
		{rollouts, outside, 9090},
		{workflows, outside, 6443},
		{workflowServer, outside, 6443},
		{workflowServer, outside, 443},
		{reporter, gateway, 8090},
		{reporter, server, 8080},
		{reporter, repo, 8081},
		{reporter, outside, 443},
		{reporter, outside, 6443},
		{resources, gateway, 8090},
		{resources, outside, 443},
		{resources, outside, 6443},
		{gateway, server, 8080},
		{gateway, repo, 8081},
		{gateway, outside, 443},
		{gateway, outside, 6443},
		{operator, appProxy, 8080},
		{operator, server, 8080},
		{operator, repo, 8081},
		{operator, outside, 22},
		{operator, outside, 6443},
		{validate, outside, 443},
		{validate, outside, 22},
		{validate, outside, 6443},
		{uninstall, outside, 443},
		{uninstall, outside, 6443},
	}
}

func refused() []edge {
	return []edge{
		{appProxy, redis, 6379},
		{router, server, 8080},
		{router, redis, 6379},
		{router, outside, 443},
		{router, outside, 6443},
		{repo, outside, 6443}, // it renders what anyone can commit: it has no access to the API server
		{repo, appProxy, 8080},
		{redis, repo, 8081},
		{prometheus, redis, 6379},
		{prometheus, repo, 8081},
		{ingress, appProxy, 8080},
		{ingress, workflowServer, 2746},
		{workflowPod, server, 8080},
		{workflowPod, workflowServer, 2746},
		{workflowPod, gateway, 8090},
		{workflowPod, operator, 8443},
		{usersSource, server, 8080},
		{usersSource, workflowServer, 2746},
		{ingress, server, 8080},
		{outside, server, 8080},
		{workflowPod, redis, 6379},
		{workflowPod, repo, 8081},
		{notifications, redis, 6379},
		{sets, redis, 6379},
		{reporter, redis, 6379},
		{gateway, redis, 6379},
		{operator, redis, 6379},
		{router, appProxy, 9100},
		{reporter, appProxy, 8080},
		{appProxy, reporter, 8088},
		{prometheus, reporter, 8087},
		{server, appProxy, 8080},
		{outside, validate, 443},
		{workflowPod, validate, 8080},
		{events, outside, 22},
	}
}

// others returns endpoints that no chart renders.
func others() []network.Endpoint {
	return []network.Endpoint{
		network.Outside(outside),
		{Name: ingress, Namespace: "ingress", Labels: map[string]string{"app": "ingress"}},
		{Name: prometheus, Namespace: "monitoring", Labels: map[string]string{"app": "prometheus"}},
		{Name: workflowPod, Namespace: golden.Namespace, Labels: map[string]string{"workflows.argoproj.io/workflow": "w"}},
		{Name: labelled, Namespace: golden.Namespace, Labels: map[string]string{"argocd-client": "true", "app.kubernetes.io/instance": "another"}},
		{Name: usersSource, Namespace: golden.Namespace, Labels: map[string]string{"controller": "eventsource-controller", "eventsource-name": "github"}},
	}
}

// Connections that the runtime needs are open by default and with restricted egress and neighbors; only the latter block external targets and pods of workflows.
func TestRequiredEdgesAreOpenAndOthersAreNot(t *testing.T) {
	t.Parallel()
	for _, of := range golden.Cases()[:4] {
		for name, made := range map[string]release{"by default": caseOf(t, of), "restricted egress": restricted(t, of)} {
			t.Run(of.Name+", "+name, func(t *testing.T) {
				t.Parallel()
				for _, other := range others() {
					made.pods[other.Name] = other
				}
				open, closed := required(), refused()
				if of.Name == "tunnel" {
					open = append(open, edge{tunnel, router, 8080}, edge{tunnel, outside, 443})
					closed = append(closed, edge{ingress, router, 8080}, edge{outside, router, 8080}, edge{tunnel, appProxy, 8080}, edge{tunnel, outside, 6443}, edge{router, tunnel, 7400})
				} else {
					open = append(open, edge{ingress, router, 8080}, edge{outside, router, 8080})
				}
				if name == "by default" {
					for _, each := range closed {
						if byNeighbors(each) {
							open = append(open, each)
						}
					}
					closed = slices.DeleteFunc(closed, func(e edge) bool { return !byIngress(e) || byNeighbors(e) })
				}
				made.assertEdges(t, open, closed)
			})
		}
	}
}

// byNeighbors reports whether only global.networkPolicy.neighbors closes the connection: by default, Argo CD's server is open to everything, and other
// programs to all pods of the namespace.
func byNeighbors(e edge) bool {
	foreign := slices.Contains([]string{workflowPod, usersSource, ingress, outside}, e.from)
	return foreign && e.to == server || slices.Contains([]string{workflowPod, usersSource}, e.from) && slices.Contains([]string{workflowServer, gateway}, e.to)
}

// byIngress reports whether the policy of the target rejects the connection, regardless of its source: the server, the gateway and app-proxy are
// open to more programs of the namespace than need them, and Jobs do not listen on a port. The label argocd-client, with which programs of the runtime reach
// the repo server, also allows Redis.
func byIngress(e edge) bool {
	foreign := slices.Contains([]string{workflowPod, usersSource, ingress, outside}, e.from)
	return foreign && e.to != appProxy && e.to != validate || e.to != outside && e.to != server && e.to != appProxy && e.to != gateway && e.to != validate && !(e.to == redis && (e.from == gateway || e.from == reporter))
}

// With all options enabled, clients reach Redis through HAProxy, and those with external targets may use the proxy.
func TestEdgesOfHighAvailabilityAndProxies(t *testing.T) {
	t.Parallel()
	cases := golden.Cases()
	made := restricted(t, cases[slices.IndexFunc(cases, func(of golden.Case) bool { return of.Name == "everything-on" })])
	made.pods[outside] = network.Outside(outside)
	const haproxy, servers, dex, commits = "Deployment/argo-cd-redis-ha-haproxy", "StatefulSet/argo-cd-redis-ha-server", "Deployment/argo-cd-dex-server", "Deployment/argo-cd-commit-server"
	made.assertEdges(t, []edge{
		{server, haproxy, 6379}, {controller, haproxy, 6379}, {repo, haproxy, 6379},
		{haproxy, servers, 6379}, {servers, servers, 6379}, {servers, servers, 26379},
		{server, dex, 5556}, {server, dex, 5557}, {controller, commits, 8086}, {commits, outside, 22},
		{appProxy, outside, 3128}, {tunnel, outside, 3128}, {reporter, outside, 3128}, {dex, outside, 636},
	}, []edge{
		{server, servers, 6379}, {router, outside, 3128}, {appProxy, dex, 5556}, {servers, repo, 8081}, {server, commits, 8086},
	})
}
