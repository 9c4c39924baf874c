package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"gitops-runtime/internal/network"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// outside stands for hosts that are not pods: the platform, Git, the API server.
const outside = "outside"

// paths are the connections that the runtime needs, by the label app.kubernetes.io/name of both ends; tests/network tests that the policies of the chart
// allow them.
var paths = map[string][]string{
	"internal-router":                    {"app-proxy", "argo-workflows-server"},
	"tunnel-client":                      {"internal-router", outside},
	"app-proxy":                          {"argocd-server", "argocd-repo-server", "argo-workflows-server", outside},
	"gitops-operator":                    {"app-proxy", "argocd-server", "argocd-repo-server", outside},
	"argo-gateway":                       {"argocd-server", "argocd-repo-server", outside},
	"runtime-event-reporter":             {"argo-gateway", "argocd-server", "argocd-repo-server", outside},
	"cluster-event-reporter":             {"argo-gateway", outside},
	"argocd-application-controller":      {"argocd-repo-server", "argocd-redis", "argocd-redis-ha-haproxy", outside},
	"argocd-server":                      {"argocd-repo-server", "argocd-redis", "argocd-redis-ha-haproxy", outside},
	"argocd-repo-server":                 {"argocd-redis", "argocd-redis-ha-haproxy", outside},
	"argocd-redis-ha-haproxy":            {"argocd-redis-ha-server"},
	"argocd-applicationset-controller":   {"argocd-repo-server", outside},
	"argo-events-controller-manager":     {outside},
	"argo-rollouts":                      {outside},
	"argo-workflows-server":              {outside},
	"argo-workflows-workflow-controller": {outside},
	"sealed-secrets":                     {outside},
}

// checkPolicies compares what the live NetworkPolicies allow with what those of the release allow, for the connections that the runtime needs.
func checkPolicies(ctx context.Context, d *state) engine.Outcome {
	found0, err := listOf[networkingv1.NetworkPolicy](ctx, d.Cluster, "/apis/networking.k8s.io/v1/namespaces/"+d.namespace+"/networkpolicies", nil)
	if err != nil {
		return unknown("NET100", "The NetworkPolicies", err)
	}
	objects := make([]unstructured.Unstructured, len(d.parts))
	for i, part := range d.parts {
		objects[i] = unstructured.Unstructured{Object: part.Tree}
	}
	meant, err := network.Read(objects, d.namespace)
	if err != nil {
		return unknown("NET100", "The NetworkPolicies of the release", err)
	}
	pods, err := network.Pods(objects, d.namespace)
	if err != nil {
		return unknown("NET100", "The pods of the release", err)
	}
	live := network.Policies(found0)
	cut, culprits := d.cut(pods, meant, live)
	note := "only NetworkPolicies of Kubernetes are computed, not those of Cilium, Calico or a mesh"
	if len(cut) == 0 {
		return engine.Outcome{Note: note}
	}
	var fixes []string
	for _, name := range culprits {
		if d.has("NetworkPolicy", name) {
			fixes = append(fixes, d.restore())
		} else {
			fixes = append(fixes, "kubectl delete networkpolicy "+name+" --namespace "+d.namespace)
		}
	}
	return engine.Outcome{Note: note, Findings: []findings.Finding{
		findings.New("NET101", at("NetworkPolicy", d.namespace, strings.Join(culprits, ", ")), short(cut), strings.Join(culprits, ", ")).
			WithFix("%s; or allow these connections in a policy", strings.Join(slices.Compact(fixes), "; ")),
	}}
}

// cut returns the needed connections that the live policies close and those of the release do not, and the policies that do.
func (d *state) cut(pods map[string]network.Endpoint, meant, live network.Policies) (cut, culprits []string) {
	for _, from := range slices.Sorted(maps.Keys(pods)) {
		for _, target := range paths[pods[from].Labels["app.kubernetes.io/name"]] {
			for _, end := range ends(pods, target) {
				for _, port := range end.ports {
					if !meant.Allow(pods[from], end.Endpoint, port) || live.Allow(pods[from], end.Endpoint, port) {
						continue
					}
					cut = append(cut, fmt.Sprintf("%s to %s, port %d", from, end.Name, port))
					selecting := append(live.Selecting(pods[from], networkingv1.PolicyTypeEgress), live.Selecting(end.Endpoint, networkingv1.PolicyTypeIngress)...)
					for _, policy := range selecting {
						if !same(policy, meant) && !slices.Contains(culprits, policy.Name) {
							culprits = append(culprits, policy.Name)
						}
					}
				}
			}
		}
	}
	slices.Sort(culprits)
	return cut, culprits
}

type end struct {
	network.Endpoint
	ports []int32
}

// ends returns the pods with a name, and the ports of their first container that are not for metrics.
func ends(pods map[string]network.Endpoint, target string) []end {
	if target == outside {
		return []end{{network.Outside("the outside"), []int32{443}}}
	}
	var all []end
	for _, name := range slices.Sorted(maps.Keys(pods)) {
		pod := pods[name]
		if pod.Labels["app.kubernetes.io/name"] != target {
			continue
		}
		one := end{Endpoint: pod}
		for _, port := range slices.Sorted(maps.Keys(pod.Ports)) {
			if !strings.Contains(port, "metrics") && !strings.Contains(port, "health") {
				one.ports = append(one.ports, pod.Ports[port])
			}
		}
		all = append(all, one)
	}
	return all
}

// same reports whether a live policy is one of the release, unchanged.
func same(policy networkingv1.NetworkPolicy, meant network.Policies) bool {
	return slices.ContainsFunc(meant, func(other networkingv1.NetworkPolicy) bool {
		return other.Name == policy.Name && reflect.DeepEqual(other.Spec.PodSelector, policy.Spec.PodSelector) && len(other.Spec.Ingress) == len(policy.Spec.Ingress) &&
			len(other.Spec.Egress) == len(policy.Spec.Egress)
	})
}

// short returns the first of many words, and the number of the others.
func short(words []string) string {
	const most = 6
	if len(words) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], "; "), len(words)-most)
	}
	return strings.Join(words, "; ")
}

func checkServices(ctx context.Context, d *state) engine.Outcome {
	services, err := listOf[corev1.Service](ctx, d.Cluster, d.core("services"), nil)
	if err != nil {
		return unknown("NET200", "The Services", err)
	}
	pods, err := listOf[corev1.Pod](ctx, d.Cluster, d.core("pods"), nil)
	if err != nil {
		return unknown("NET200", "The pods", err)
	}
	var list []findings.Finding
	for _, service := range services {
		var meant struct{ Spec corev1.ServiceSpec }
		tree := d.tree("Service", service.Name)
		if tree == nil || into(tree, &meant) != nil || len(meant.Spec.Selector) == 0 || !d.selectsWorkload(meant.Spec.Selector) {
			continue // the Services of tests select their pods only while these run
		}
		selector := labels.SelectorFromSet(service.Spec.Selector)
		if !slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return selector.Matches(labels.Set(pod.Labels)) }) {
			list = append(list, findings.New("NET201", at("Service", d.namespace, service.Name), service.Name).WithFix("%s", d.reselect(service, meant.Spec.Selector)))
		}
	}
	return found(list...)
}

// reselect returns the command that restores the selector of a Service. A rollback keeps labels that somebody has added, as Helm does with every field that it
// has not set: https://helm.sh/docs/faq/changes_since_helm2/#improved-upgrade-strategy-3-way-strategic-merge-patches
func (d *state) reselect(service corev1.Service, meant map[string]string) string {
	for label := range service.Spec.Selector {
		if _, known := meant[label]; !known {
			selector, _ := json.Marshal(meant) // of texts
			return fmt.Sprintf(`kubectl patch service %s --namespace %s --type json --patch '[{"op":"replace","path":"/spec/selector","value":%s}]'`, service.Name, d.namespace, selector)
		}
	}
	return d.restore()
}

// selectsWorkload reports whether a selector selects the pods of a workload of the release that has any.
func (d *state) selectsWorkload(selector map[string]string) bool {
	return slices.ContainsFunc(d.workloads, func(each workload) bool {
		return labels.SelectorFromSet(selector).Matches(labels.Set(each.template.Labels)) && (each.replicas == nil || *each.replicas > 0)
	})
}
