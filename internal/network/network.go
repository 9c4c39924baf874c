// Package network computes what the NetworkPolicies of a rendered release allow, as Kubernetes defines it: a direction of a pod is open if no
// policy selects the pod for it; otherwise only what a rule of such a policy allows is open.
package network

import (
	"fmt"
	"net/netip"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Endpoint is one end of a connection: a pod or, without labels, an endpoint outside the pods' network.
type Endpoint struct {
	Name      string
	Namespace string
	Labels    map[string]string
	Ports     map[string]int32 // Ports are the named ports.
	// Address is the address of an end without labels.
	Address netip.Addr
}

// Outside returns an end that is not a pod: the API server, a host on the internet.
func Outside(name string) Endpoint {
	return Endpoint{Name: name, Address: netip.MustParseAddr("203.0.113.1")}
}

// Metadata returns the end at which a cloud tells the pods of a node its credentials.
func Metadata() Endpoint {
	return Endpoint{Name: "the metadata of the cloud", Address: netip.MustParseAddr("169.254.169.254")}
}

// Policies are the NetworkPolicies of a cluster.
type Policies []networkingv1.NetworkPolicy

// Read finds the policies among rendered objects. Those without a namespace are in the given one.
func Read(objects []unstructured.Unstructured, namespace string) (Policies, error) {
	var policies Policies
	for _, object := range objects {
		if object.GetKind() != "NetworkPolicy" {
			continue
		}
		var policy networkingv1.NetworkPolicy
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &policy, true); err != nil {
			return nil, fmt.Errorf("read the NetworkPolicy %s: %w", object.GetName(), err)
		}
		if policy.Namespace == "" {
			policy.Namespace = namespace
		}
		policies = append(policies, policy)
	}
	return policies, nil
}

// Selecting returns the policies that select a pod for a direction.
func (p Policies) Selecting(pod Endpoint, direction networkingv1.PolicyType) Policies {
	var selecting Policies
	for _, policy := range p {
		if policy.Namespace == pod.Namespace && slices.Contains(policy.Spec.PolicyTypes, direction) && matches(&policy.Spec.PodSelector, pod.Labels) {
			selecting = append(selecting, policy)
		}
	}
	return selecting
}

// Allow reports whether from may open a TCP connection to a port of to.
func (p Policies) Allow(from, to Endpoint, port int32) bool {
	return p.out(from, to, port) && p.in(from, to, port)
}

func (p Policies) out(from, to Endpoint, port int32) bool {
	selecting := p.Selecting(from, networkingv1.PolicyTypeEgress)
	for _, policy := range selecting {
		for _, rule := range policy.Spec.Egress {
			if hasPeer(rule.To, to, policy.Namespace) && hasPort(rule.Ports, port, to) {
				return true
			}
		}
	}
	return len(selecting) == 0
}

func (p Policies) in(from, to Endpoint, port int32) bool {
	selecting := p.Selecting(to, networkingv1.PolicyTypeIngress)
	for _, policy := range selecting {
		for _, rule := range policy.Spec.Ingress {
			if hasPeer(rule.From, from, policy.Namespace) && hasPort(rule.Ports, port, to) {
				return true
			}
		}
	}
	return len(selecting) == 0
}

// hasPeer reports whether an end is among the peers of a rule; a rule without peers applies to all. Address blocks match ends that are not pods, as
// Kubernetes recommends to use them.
func hasPeer(peers []networkingv1.NetworkPolicyPeer, end Endpoint, namespace string) bool {
	if len(peers) == 0 {
		return true
	}
	for _, peer := range peers {
		if peer.IPBlock != nil && inBlock(peer.IPBlock, end.Address) {
			return true
		}
		if end.Labels == nil || (peer.PodSelector == nil && peer.NamespaceSelector == nil) {
			continue
		}
		inNamespace := end.Namespace == namespace
		if peer.NamespaceSelector != nil {
			inNamespace = matches(peer.NamespaceSelector, map[string]string{"kubernetes.io/metadata.name": end.Namespace})
		}
		if inNamespace && (peer.PodSelector == nil || matches(peer.PodSelector, end.Labels)) {
			return true
		}
	}
	return false
}

func inBlock(block *networkingv1.IPBlock, address netip.Addr) bool {
	within := func(text string) bool {
		prefix, err := netip.ParsePrefix(text)
		return err == nil && prefix.Contains(address)
	}
	return within(block.CIDR) && !slices.ContainsFunc(block.Except, within)
}

// hasPort reports whether a TCP port is among those of a rule; a rule without ports applies to all.
func hasPort(ports []networkingv1.NetworkPolicyPort, port int32, to Endpoint) bool {
	if len(ports) == 0 {
		return true
	}
	return slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		if p.Protocol != nil && *p.Protocol != "TCP" {
			return false
		}
		if p.Port != nil && p.Port.Type == intstr.String {
			return to.Ports[p.Port.StrVal] == port
		}
		return p.Port == nil || p.Port.IntVal == port
	})
}

func matches(selector *metav1.LabelSelector, of map[string]string) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(labels.Set(of))
}
