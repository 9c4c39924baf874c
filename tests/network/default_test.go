package network_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	networkingv1 "k8s.io/api/networking/v1"

	"gitops-runtime/internal/network"
	"gitops-runtime/tests/golden"
	"gitops-runtime/tests/render"
)

// unrelated returns a pod of another namespace and an endpoint outside the pods' network.
func unrelated() []network.Endpoint {
	return []network.Endpoint{
		{Name: "unrelated", Namespace: "unrelated", Labels: map[string]string{"app": "unrelated"}},
		network.Outside(outside),
	}
}

// open lists the declared ports of pods that an unrelated endpoint can reach, as "Kind/name port".
func (r release) open() []string {
	var reached []string
	for name, pod := range r.pods {
		for port, number := range pod.Ports {
			for _, from := range unrelated() {
				if r.policies.Allow(from, pod, number) {
					reached = append(reached, fmt.Sprintf("%s %s", name, port))
				}
			}
		}
	}
	slices.Sort(reached)
	return slices.Compact(reached)
}

// unselected lists the pods that no policy selects for ingress. Jobs and CronJobs do not listen on a port.
func (r release) unselected() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.pods)) {
		if !strings.Contains(name, "Job/") && len(r.policies.Selecting(r.pods[name], networkingv1.PolicyTypeIngress)) == 0 {
			names = append(names, name)
		}
	}
	return names
}

func rendered(t *testing.T, of render.Release) (made release) {
	t.Helper()
	var err error
	made.objects = of.Objects(t)
	made.policies, err = network.Read(made.objects, golden.Namespace)
	require.NoError(t, err)
	made.pods, err = network.Pods(made.objects, golden.Namespace)
	require.NoError(t, err)
	require.NotEmpty(t, made.pods)
	return made
}

// The repo-server executes what a request names, and Redis contains what Argo CD deploys: by default, policies select both, in the umbrella chart
// and in charts/argo-cd alone, and no unrelated endpoint can reach them.
func TestSecurityReview1RepoServerIsClosedByDefault(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]render.Release{
		"gitops-runtime": {Chart: "gitops-runtime", Files: []string{"tunnel"}},
		"argo-cd":        {Chart: "argo-cd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := rendered(t, of)
			for workload, port := range map[string]int32{"repo-server": 8081, "redis": 6379} {
				found := 0
				for name, pod := range made.pods {
					if !strings.HasSuffix(name, "argo-cd-"+workload) && !strings.HasSuffix(name, "argocd-"+workload) {
						continue
					}
					found++
					assert.Contains(t, slices.Collect(maps.Values(pod.Ports)), port, name)
					assert.NotEmpty(t, made.policies.Selecting(pod, networkingv1.PolicyTypeIngress), name)
					for _, from := range unrelated() {
						assert.False(t, made.policies.Allow(from, pod, port), "%s reaches %s on port %d", from.Name, name, port)
					}
				}
				assert.Equal(t, 1, found, workload)
			}
		})
	}
}

// The published chart opens the repo-server to these programs by a policy of its own, codefresh-to-argocd-repo-server.
func TestA3RepoServerIsReachable(t *testing.T) {
	t.Parallel()
	for title, set := range map[string]map[string]string{"by default": nil, "restricted egress": {"global.networkPolicy.restrictEgress": "true"}} {
		made := rendered(t, render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: set})
		to, found := made.pods["Deployment/argo-cd-repo-server"]
		require.True(t, found)
		for _, name := range []string{"cap-app-proxy", "gitops-operator", "argo-gateway", "runtime-event-reporter", "cluster-event-reporter"} {
			from, found := made.pods["Deployment/"+name]
			require.True(t, found, name)
			assert.True(t, made.policies.Allow(from, to, 8081), "%s: %s", title, name)
		}
	}
}

// neighbors are those of the restricted preset.
const neighbors = `[{"key": "workflows.argoproj.io/workflow", "operator": "DoesNotExist"}]`

// Policies of every chart select every pod that may listen, and with global.networkPolicy.neighbors an unrelated endpoint can reach only these ports. By
// default it reaches Argo CD's server and the ports of metrics, too, as in the published chart.
func TestUnrelatedEndpointsReachOnlyPublicPorts(t *testing.T) {
	t.Parallel()
	argoCD := []string{"Deployment/argo-cd-applicationset-controller webhook"}
	tunnelMode := append(slices.Clone(argoCD), "Deployment/gitops-operator http-metrics") // metrics, for a Prometheus in any namespace
	behindIngress := append(slices.Clone(tunnelMode), "Deployment/internal-router http")
	oneNamespace := slices.Clone(tunnelMode)
	sealedSecrets := []string{"Deployment/sealed-secrets-controller http", "Deployment/sealed-secrets-controller metrics"} // kubeseal, through the API server
	tunnelMode, behindIngress = append(tunnelMode, sealedSecrets...), append(behindIngress, sealedSecrets...)
	for _, test := range []struct {
		name string
		of   render.Release
		want []string
	}{
		{"tunnel", render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}, tunnelMode},
		{"ingress", render.Release{Chart: "gitops-runtime", Files: []string{"ingress"}}, behindIngress},
		{"gateway", render.Release{Chart: "gitops-runtime", Files: []string{"gateway"}}, behindIngress},
		{"mesh", render.Release{Chart: "gitops-runtime", Files: []string{"mesh"}}, behindIngress},
		{"single namespace", render.Release{Chart: "gitops-runtime", Files: []string{"single-namespace"}}, oneNamespace},
		{"argo-cd", render.Release{Chart: "argo-cd"}, []string{"Deployment/cf-argocd-applicationset-controller webhook"}},
		{"argo-cd behind an ingress", render.Release{Chart: "argo-cd", Set: map[string]string{"server.ingress.enabled": "true"}}, []string{
			"Deployment/cf-argocd-applicationset-controller webhook", "Deployment/cf-argocd-server server"}},
		{"argo-events", render.Release{Chart: "argo-events"}, nil},
		{"argo-rollouts", render.Release{Chart: "argo-rollouts"}, nil},
		{"argo-workflows", render.Release{Chart: "argo-workflows"}, nil},
		{"tunnel-client", render.Release{Chart: "tunnel-client", Files: []string{"tunnel"}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			byDefault := rendered(t, test.of)
			assert.Empty(t, byDefault.unselected())
			for _, port := range byDefault.open() {
				known := slices.Contains(test.want, port) || strings.HasSuffix(port, " metrics") || strings.HasSuffix(port, "server server")
				assert.True(t, known, port)
			}
			test.of.SetJSON = map[string]string{"global.networkPolicy.neighbors": neighbors}
			assert.Equal(t, test.want, rendered(t, test.of).open())
		})
	}
}

// Egress is restricted only if a value requests it, and that value does not change ingress.
func TestEgressIsOptIn(t *testing.T) {
	t.Parallel()
	types := func(set map[string]string) map[networkingv1.PolicyType]int {
		count := map[networkingv1.PolicyType]int{}
		for _, policy := range rendered(t, render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: set}).policies {
			for _, direction := range policy.Spec.PolicyTypes {
				count[direction]++
			}
			if !slices.Contains(policy.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
				assert.Empty(t, policy.Spec.Egress, policy.Name)
			}
		}
		return count
	}
	byDefault := types(nil)
	assert.Greater(t, byDefault[networkingv1.PolicyTypeIngress], 10)
	assert.Zero(t, byDefault[networkingv1.PolicyTypeEgress])
	both := types(map[string]string{"global.networkPolicy.restrictEgress": "true"})
	// codefresh-to-argocd-repo-server adds clients to a workload that has a policy for both directions
	assert.Equal(t, both[networkingv1.PolicyTypeIngress], both[networkingv1.PolicyTypeEgress]+1)
	off := types(map[string]string{"global.networkPolicy.create": "false"})
	assert.Empty(t, off)
}

// A separate Argo CD allows the programs of a runtime in the namespaces that a value names, by their label, and no other pod there.
func TestClientNamespaces(t *testing.T) {
	t.Parallel()
	made := rendered(t, render.Release{Chart: "argo-cd", SetJSON: map[string]string{"global.networkPolicy.clientNamespaces": `["runtime"]`}})
	client := func(namespace string, labels map[string]string) network.Endpoint {
		return network.Endpoint{Name: namespace, Namespace: namespace, Labels: labels}
	}
	label := map[string]string{"argocd-client": "true"}
	for name, port := range map[string]int32{"Deployment/cf-argocd-repo-server": 8081, "Deployment/cf-argocd-redis": 6379} {
		require.Contains(t, made.pods, name)
		assert.True(t, made.policies.Allow(client("runtime", label), made.pods[name], port), name)
		assert.False(t, made.policies.Allow(client("runtime", map[string]string{"app": "other"}), made.pods[name], port), name)
		assert.False(t, made.policies.Allow(client("unrelated", label), made.pods[name], port), name)
	}
}
