package security

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/network"
)

// port is one port that pods listen at.
type port struct {
	workload, name string
	number         int32
	services       []string
	reached        []string
	when           occasions
}

// ports returns the ports of all workloads of the releases, and in which releases a workload is.
func ports(all []release) (found ordered[port], workloads ordered[occasions]) {
	for _, made := range all {
		for _, name := range slices.Sorted(maps.Keys(made.pods)) {
			workloads.at(name).add(made.name)
			pod := made.pods[name]
			named := pod.Ports
			for _, label := range slices.Sorted(maps.Keys(named)) {
				p := found.at(fmt.Sprintf("%s|%05d|%s", name, named[label], label))
				p.workload, p.name, p.number = name, label, named[label]
				p.when.add(made.name)
				p.services = union(p.services, made.services(pod, label, named[label]))
				p.reached = union(p.reached, made.reachedBy(pod, label, named[label]))
			}
		}
	}
	return found, workloads
}

func union(have, more []string) []string {
	for _, word := range more {
		if !slices.Contains(have, word) {
			have = append(have, word)
		}
	}
	return have
}

// services names the Services, with their ports, that route to a port of a pod.
func (r release) services(pod network.Endpoint, name string, number int32) []string {
	var names []string
	for _, document := range r.documents {
		if document.Object.GetKind() != "Service" {
			continue
		}
		selector, _, err := unstructured.NestedStringMap(document.Object.Object, "spec", "selector")
		if err != nil || len(selector) == 0 || !within(selector, pod.Labels) {
			continue
		}
		listed, _, err := unstructured.NestedSlice(document.Object.Object, "spec", "ports")
		if err != nil {
			continue
		}
		for _, item := range listed {
			fields, _ := item.(map[string]any)
			if target := fmt.Sprint(fields["targetPort"]); target == name || target == fmt.Sprint(number) {
				names = append(names, fmt.Sprintf("%s:%v", document.Object.GetName(), fields["port"]))
			}
		}
	}
	return names
}

func within(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value && key != "statefulset.kubernetes.io/pod-name" {
			return false
		}
	}
	return true
}

// reachedBy describes what can reach a port of a pod, according to the ingress rules of its policies.
func (r release) reachedBy(pod network.Endpoint, name string, number int32) []string {
	var who []string
	for _, policy := range r.policies.Selecting(pod, networkingv1.PolicyTypeIngress) {
		for _, rule := range policy.Spec.Ingress {
			if !slices.ContainsFunc(rule.Ports, func(p networkingv1.NetworkPolicyPort) bool {
				return p.Port == nil || p.Port.String() == name || p.Port.IntVal == number
			}) && len(rule.Ports) > 0 {
				continue
			}
			if len(rule.From) == 0 {
				who = append(who, "everywhere")
			}
			for _, peer := range rule.From {
				who = union(who, []string{r.peer(peer)})
			}
		}
	}
	return who
}

// peer describes a peer of a rule.
func (r release) peer(peer networkingv1.NetworkPolicyPeer) string {
	if peer.NamespaceSelector != nil && peer.PodSelector == nil {
		return "any namespace"
	}
	switch {
	case len(peer.PodSelector.MatchLabels) == 0 && len(peer.PodSelector.MatchExpressions) > 0 && peer.NamespaceSelector != nil:
		return "namespaces of clients, but for their workflows and event sources"
	case len(peer.PodSelector.MatchLabels) == 0 && len(peer.PodSelector.MatchExpressions) > 0:
		return "the namespace, but for workflows and event sources"
	case len(peer.PodSelector.MatchLabels) == 0:
		return "the namespace"
	}
	if peer.PodSelector.MatchLabels["argocd-client"] != "" {
		return "clients of argocd by label"
	}
	if of := peer.PodSelector.MatchLabels["app.kubernetes.io/part-of"]; of != "" {
		return "pods of " + of
	}
	for _, label := range []string{"app.kubernetes.io/name", "app"} {
		if name := peer.PodSelector.MatchLabels[label]; name != "" {
			return name
		}
	}
	if controller := peer.PodSelector.MatchLabels["controller"]; controller != "" {
		return strings.Replace(controller, "-controller", "s", 1)
	}
	return "pods by label"
}
