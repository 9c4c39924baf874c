package render_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"gitops-runtime/tests/render"
)

// listed returns kind, namespace and name of each object, without hooks.
func listed(objects []render.Object) []string {
	var all []string
	for _, object := range objects {
		all = append(all, object.GetKind()+" "+object.GetNamespace()+"/"+object.GetName())
	}
	slices.Sort(all)
	return all
}

// rules returns the rules of a Role or ClusterRole as "group/resource verb".
func rules(t *testing.T, role render.Object) []string {
	t.Helper()
	var all []string
	list, _, err := unstructured.NestedSlice(role.Object, "rules")
	require.NoError(t, err)
	for _, rule := range list {
		of := rule.(map[string]any)
		for _, group := range of["apiGroups"].([]any) {
			for _, resource := range of["resources"].([]any) {
				for _, verb := range of["verbs"].([]any) {
					all = append(all, group.(string)+"/"+resource.(string)+" "+verb.(string))
				}
			}
		}
	}
	return all
}

// The account has a Role in each namespace and nothing beyond, and the runtime's half may touch two Secrets.
func TestManagedClusterHasTwoHalves(t *testing.T) {
	t.Parallel()
	const clusterKinds = `[{"apiGroup": "", "kinds": ["Namespace"], "resources": ["namespaces"]}]`
	account := []string{
		"Role billing/cf-managed-cluster-deploy", "Role codefresh/cf-managed-cluster", "Role shop/cf-managed-cluster-deploy",
		"RoleBinding billing/cf-managed-cluster-deploy", "RoleBinding codefresh/cf-managed-cluster", "RoleBinding shop/cf-managed-cluster-deploy",
		"ServiceAccount codefresh/cf-managed-cluster",
	}
	assert.Equal(t, account, listed(render.Release{Chart: "managed-cluster", Files: []string{"target"}}.Objects(t)))
	wide := slices.Concat([]string{"ClusterRole /codefresh-cf-managed-cluster-account", "ClusterRoleBinding /codefresh-cf-managed-cluster-account"}, account)
	assert.Equal(t, wide, listed(render.Release{Chart: "managed-cluster", Files: []string{"target"}, SetJSON: map[string]string{"clusterKinds": clusterKinds}}.Objects(t)))

	objects := render.Release{Chart: "managed-cluster", Files: []string{"runtime"}}.Objects(t)
	assert.Equal(t, []string{
		"AppProject codefresh/staging", "CronJob codefresh/cf-managed-cluster", "Job codefresh/cf-managed-cluster-first-token", "NetworkPolicy codefresh/cf-managed-cluster",
		"Role codefresh/cf-managed-cluster", "RoleBinding codefresh/cf-managed-cluster", "Secret codefresh/cf-managed-cluster", "ServiceAccount codefresh/cf-managed-cluster",
	}, listed(objects))
	assert.Equal(t, []string{"/secrets get", "/secrets patch", "/secrets get", "/secrets delete"}, rules(t, *render.Find(objects, "Role", "cf-managed-cluster")))
	secret := render.Find(objects, "Secret", "cf-managed-cluster")
	assert.Equal(t, "cluster", secret.GetLabels()["argocd.argoproj.io/secret-type"])
	assert.Equal(t, map[string]any{
		"name": "c3RhZ2luZw==", "server": "aHR0cHM6Ly9zdGFnaW5nLmV4YW1wbGUuY29tOjY0NDM=", "namespaces": "c2hvcCxiaWxsaW5n", "clusterResources": "dHJ1ZQ==",
	}, secret.Object["data"], "the rotation adds config, which no upgrade may replace")
}

// What the AppProject may deploy and what the account may create are the same kinds, in the same namespaces.
func TestManagedClusterMayWhatItsProjectMay(t *testing.T) {
	t.Parallel()
	objects := render.Release{Chart: "managed-cluster", Files: []string{"target"}}.Objects(t)
	created := map[string][]string{}
	for _, object := range objects {
		for _, rule := range rules(t, object) {
			assert.NotContains(t, rule, "*")
			if len(rule) > 7 && rule[len(rule)-7:] == " create" {
				created[object.GetNamespace()] = append(created[object.GetNamespace()], rule[:len(rule)-7])
			}
		}
	}
	project := render.Find(render.Release{Chart: "managed-cluster", Files: []string{"runtime"}}.Objects(t), "AppProject", "staging")
	kinds, _, err := unstructured.NestedSlice(project.Object, "spec", "namespaceResourceWhitelist")
	require.NoError(t, err)
	want := []string{"argoproj.io/rollouts/status"} // the actions of Rollouts
	for _, kind := range kinds {
		of := kind.(map[string]any)
		resource, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: of["group"].(string), Kind: of["kind"].(string)})
		want = append(want, resource.Group+"/"+resource.Resource)
	}
	destinations, _, err := unstructured.NestedSlice(project.Object, "spec", "destinations")
	require.NoError(t, err)
	require.Len(t, destinations, 2)
	for _, destination := range destinations {
		namespace := destination.(map[string]any)["namespace"].(string)
		assert.ElementsMatch(t, want, created[namespace], namespace)
	}
	assert.Equal(t, []string{"/serviceaccounts/token"}, created["codefresh"])
}
