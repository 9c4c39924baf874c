package render_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"gitops-runtime/internal/facts"
	"gitops-runtime/tests/render"
)

// Workflows, users and programs of the cluster reach what they reach with the published chart 0.30.0: Argo CD's server from everywhere, ports of metrics also
// where they are not enabled, sealed-secrets by kubeseal, and Argo Workflows with the token of its server. The restricted preset closes each of these.
func TestOtherProgramsKeepTheirAccess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		preset string
		open   bool
	}{{"", true}, {"restricted", false}} {
		release := umbrella("tunnel", nil)
		if test.preset != "" {
			release.Values = []string{preset(t, test.preset)}
		}
		objects := release.Objects(t)
		policy := func(name string) []networkingv1.NetworkPolicyIngressRule {
			found, err := render.As[networkingv1.NetworkPolicy](render.Find(objects, "NetworkPolicy", name))
			require.NoError(t, err)
			return found.Spec.Ingress
		}
		assert.Equal(t, test.open, len(policy("argo-cd-server")[0].From) == 0, "Argo CD's server")
		for _, name := range []string{"argo-cd-application-controller", "argo-cd-repo-server", "argo-workflow-controller"} {
			assert.Equal(t, test.open, slices.ContainsFunc(policy(name), func(rule networkingv1.NetworkPolicyIngressRule) bool { return rule.Ports[0].Port.String() == "metrics" }), name)
		}
		peers := policy("argo-server")[0].From
		assert.Equal(t, test.open, len(peers) == 1 && len(peers[0].PodSelector.MatchExpressions) == 0, "pods of workflows reach Argo Workflows")
		assert.Equal(t, test.open, render.Find(objects, "RoleBinding", "sealed-secrets-controller-service-proxier") != nil, "kubeseal")
		role, err := render.As[rbacv1.Role](render.Find(objects, "Role", "argo-server"))
		require.NoError(t, err)
		assert.Equal(t, test.open, slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "pods/log") }), "argo-server")
	}
}

// A14: an HTTPRoute and an Ingress list the published paths in the order of the published chart.
func TestRoutesListThePathsAsPublished(t *testing.T) {
	t.Parallel()
	objects := umbrella("gateway", nil).Objects(t)
	rules := facts.Of([]map[string]any{render.Find(objects, "HTTPRoute", "codefresh-gitops-runtime").Object})["HTTPRoute/codefresh-gitops-runtime"]
	for path, want := range map[string]string{"0": "/webhooks", "1": "/app-proxy", "2": "/workflows"} {
		assert.Equal(t, want, rules["spec.rules[0].matches["+path+"].path.value"])
	}
	assert.NotContains(t, rules, "spec.rules[1].matches[0].path.value")
}

// Without versions of JetStream, the test of Argo Events uses the newest one.
func TestHelmTestWithoutVersionsOfJetStream(t *testing.T) {
	t.Parallel()
	objects := published(t, map[string]string{"argo-events.configs.jetstream.versions": "null"})
	found := render.Find(objects, "Pod", "test-argo-events")
	require.NotNil(t, found)
	assert.Contains(t, podSpecOf(t, *found).Containers[0].Args, "--bus=latest")
}
