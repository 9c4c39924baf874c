package network_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/network"
)

func policies(t *testing.T, texts ...string) network.Policies {
	t.Helper()
	var objects []unstructured.Unstructured
	for _, text := range texts {
		object := unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\nspec: "+text), &object.Object))
		objects = append(objects, object)
	}
	read, err := network.Read(objects, "ns")
	require.NoError(t, err)
	return read
}

func pod(name, namespace string) network.Endpoint {
	return network.Endpoint{Name: name, Namespace: namespace, Labels: map[string]string{"app": name}, Ports: map[string]int32{"http": 8080}}
}

func TestAllow(t *testing.T) {
	t.Parallel()
	a, b, far, outside := pod("a", "ns"), pod("b", "ns"), pod("b", "far"), network.Outside("api")
	for _, test := range []struct {
		name     string
		policies []string
		from, to network.Endpoint
		port     int32
		want     bool
	}{
		{"no policy, all open", nil, a, b, 1, true},
		{"a policy for others", []string{"{podSelector: {matchLabels: {app: c}}, policyTypes: [Ingress, Egress]}"}, a, b, 1, true},
		{"nothing in", []string{"{podSelector: {matchLabels: {app: b}}, policyTypes: [Ingress]}"}, a, b, 1, false},
		{"nothing in, but out", []string{"{podSelector: {matchLabels: {app: b}}, policyTypes: [Ingress]}"}, b, a, 1, true},
		{"nothing out", []string{"{podSelector: {matchLabels: {app: a}}, policyTypes: [Egress]}"}, a, b, 1, false},
		{"a named port", []string{"{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: http}]}]}"}, a, b, 8080, true},
		{"another port", []string{"{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: http}]}]}"}, a, b, 8081, false},
		{"a UDP port", []string{"{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: 53, protocol: UDP}]}]}"}, a, b, 53, false},
		{"from the namespace", []string{"{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}"}, a, b, 1, true},
		{"from another namespace", []string{"{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}"}, far, b, 1, false},
		{"from any namespace", []string{"{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {}}]}]}"}, far, b, 1, true},
		{"from outside, pods alone", []string{"{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {}}]}]}"}, outside, b, 1, false},
		{"to outside", []string{"{podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: 443}]}]}"}, a, outside, 443, true},
		{"to a pod elsewhere by label", []string{"{podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {}, podSelector: {matchLabels: {app: b}}}]}]}"}, a, far, 1, true},
		{"one of two policies", []string{"{podSelector: {}, policyTypes: [Egress]}", "{podSelector: {}, policyTypes: [Egress], egress: [{}]}"}, a, b, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, policies(t, test.policies...).Allow(test.from, test.to, test.port))
		})
	}
}

func TestSelecting(t *testing.T) {
	t.Parallel()
	both := policies(t, "{podSelector: {}, policyTypes: [Ingress, Egress]}")
	assert.Len(t, both.Selecting(pod("a", "ns"), networkingv1.PolicyTypeEgress), 1)
	assert.Empty(t, both.Selecting(pod("a", "far"), networkingv1.PolicyTypeEgress))
	one := policies(t, "{podSelector: {}, policyTypes: [Ingress]}")
	assert.Empty(t, one.Selecting(pod("a", "ns"), networkingv1.PolicyTypeEgress))
}
