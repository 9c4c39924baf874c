//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// throughArgoCD checks that an Argo CD installs the runtime, which then uses it. The checks run before each sync, a second sync changes nothing,
// and deleting the Application removes the runtime and deregisters it.
func (n *neighbors) throughArgoCD(t *testing.T) {
	before := n.inventory(t)
	n.serveChart(t)
	n.apply(t, runtimeNamespace(install.Namespace))
	n.applyHere(t, n.runtimeSecrets(t))
	require.NoError(t, n.local.Kubectl.Apply(t.Context(), []*unstructured.Unstructured{n.runtimeApplication(t, rolloutsThere)}, time.Minute))
	defer n.run(t, "deletion", func(t *testing.T) { n.deleteRuntimeApplication(t, before) }) // even after a failure: Helm does not know what is outside of namespaces
	healthy := n.has("applications", neighbor, install.Release, map[string]string{
		"status.sync.status": "Synced", "status.health.status": "Healthy", "status.operationState.phase": "Succeeded",
	})
	eventually(t, "the runtime is synced and healthy", 4*time.Minute, healthy)
	n.mapper.Reset()
	a := n.access(t, images.Mesh)
	a.appProxy(t)
	a.argoCD(t)
	n.applyHere(t, guestbook) // in the runtime's namespace, which the reporter watches: the other Argo CD ignores it
	n.platform(t).getsEvent(t, "Application", install.Namespace, "e2e-guestbook")
	n.platform(t).getsEvent(t, "Deployment", "e2e-neighbor-guestbook", "guestbook")
	n.run(t, "second sync", func(t *testing.T) { n.secondSync(t, healthy) })
}

// syncAll starts a full sync; the state of the last one is removed, since Argo CD would otherwise merge its parameters, such as a partial
// self-heal, into it.
const syncAll = `{"operation": {
  "initiatedBy": {"username": "e2e", "automated": null},
  "sync": {"syncOptions": ["ServerSideApply=true"], "resources": null, "revision": null, "source": null, "autoHealAttemptsCount": null}
}, "status": {"operationState": null}}`

// secondSync checks that the checks run before a sync of an existing runtime, which replaces and restarts no pod, and writes no object.
func (n *neighbors) secondSync(t *testing.T, healthy func(context.Context) error) {
	var first *unstructured.Unstructured
	eventually(t, "Argo CD has nothing to do", time.Minute, func(ctx context.Context) error {
		var err error
		if first, err = n.object(ctx, "applications", neighbor, install.Release); err != nil {
			return err
		}
		if first.Object["operation"] != nil {
			return fmt.Errorf("it is at %v", first.Object["operation"])
		}
		return healthy(ctx)
	})
	pods, inside, outside := n.pods(t, ""), n.revisions(t, install.Namespace), n.clusterRevisions(t)
	_, err := n.objects.Resource(argo("applications")).Namespace(neighbor).Patch(t.Context(), install.Release, types.MergePatchType, []byte(syncAll), metav1.PatchOptions{})
	require.NoError(t, err)
	eventually(t, "the second sync has succeeded", 3*time.Minute, func(ctx context.Context) error {
		second, err := n.object(ctx, "applications", neighbor, install.Release)
		if err != nil {
			return err
		}
		if begun := field(second, "status", "operationState", "startedAt"); begun == field(first, "status", "operationState", "startedAt") {
			return fmt.Errorf("the last sync is that of %s", begun)
		}
		return healthy(ctx)
	})
	hooks := map[string]string{"ServiceAccount/validate-values": "PreSync", "Job/validate-values": "PreSync"}
	assert.Equal(t, hooks, n.hooksOfSync(t, slices.Collect(maps.Keys(hooks))...))
	assert.Equal(t, pods, n.pods(t, ""))
	assert.Equal(t, inside, n.revisions(t, install.Namespace))
	assert.Equal(t, outside, n.clusterRevisions(t))
}

// revisions returns what changes when an object of a namespace is written: its generation, or its revision if its kind has none. Hooks are created
// at each sync; objects that programs write themselves are omitted.
func (n *neighbors) revisions(t *testing.T, namespace string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, resource := range []schema.GroupVersionResource{
		{Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "secrets"}, {Version: "v1", Resource: "services"}, {Version: "v1", Resource: "serviceaccounts"},
		{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "statefulsets"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}, {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
		argo("eventbus"), argo("eventsources"), argo("sensors"),
	} {
		list, err := n.metadata.Resource(resource).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, item := range list.Items {
			if strings.HasPrefix(item.Name, "validate-values") {
				continue
			}
			revision := item.ResourceVersion
			if item.Generation > 0 {
				revision = fmt.Sprint("generation ", item.Generation)
			}
			found[resource.Resource+"/"+item.Name] = revision
		}
	}
	return found
}

// hooksOfSync returns the hook types of the named objects of the last sync.
func (n *neighbors) hooksOfSync(t *testing.T, names ...string) map[string]string {
	t.Helper()
	application, err := n.object(t.Context(), "applications", neighbor, install.Release)
	require.NoError(t, err)
	resources, _, err := unstructured.NestedSlice(application.Object, "status", "operationState", "syncResult", "resources")
	require.NoError(t, err)
	found := map[string]string{}
	for _, one := range resources {
		result, _ := one.(map[string]any)
		if name := fmt.Sprintf("%v/%v", result["kind"], result["name"]); slices.Contains(names, name) {
			found[name] = fmt.Sprint(result["hookType"])
		}
	}
	return found
}

// deleteRuntimeApplication checks that deleting the Application removes the runtime from the cluster and from the platform; before is what the
// cluster had outside of namespaces.
func (n *neighbors) deleteRuntimeApplication(t *testing.T, before []string) {
	require.Equal(t, []string{install.Name, "taken"}, n.platform(t).runtimes(t))
	ignoreMissing(t, n.objects.Resource(argo("applications")).Namespace(install.Namespace).Delete(t.Context(), "e2e-guestbook", metav1.DeleteOptions{})) // a user's
	require.NoError(t, n.objects.Resource(argo("applications")).Namespace(neighbor).Delete(t.Context(), install.Release, metav1.DeleteOptions{}))
	theirs := append(ofEveryNamespace(), "secrets/codefresh-api-key", "secrets/argocd-initial-admin-secret") // the user's own, as are the keys of sealed-secrets
	// Argo CD deletes no CRDs; for Helm those of codefresh.io are part of the release
	kept := []string{"apiservices/v1alpha1.codefresh.io", "apiservices/v1beta1.codefresh.io", "apiservices/v1beta2.codefresh.io"}
	for _, name := range n.codefreshDefinitions(t) {
		kept = append(kept, "customresourcedefinitions/"+name)
		defer func() {
			ignoreMissing(t, n.metadata.Resource(definitions).Delete(t.Context(), name, metav1.DeleteOptions{}))
		}()
	}
	eventually(t, "the runtime is gone", 3*time.Minute, func(ctx context.Context) error {
		if _, err := n.object(ctx, "applications", neighbor, install.Release); !errors.IsNotFound(err) {
			return fmt.Errorf("the Application still exists: %v", err)
		}
		inside, outside, err := n.remaining(ctx)
		if err != nil {
			return err
		}
		inside, outside = without(inside, theirs, append(ofFinishedHook(), "secrets/sealed-secrets-key")...), withoutDefinitions(without(outside, before, kept...))
		if len(inside)+len(outside) > 0 {
			return fmt.Errorf("left in the namespace %v, outside any %v", inside, outside)
		}
		return nil
	})
	assert.Equal(t, []string{"taken"}, n.platform(t).runtimes(t))
}

// ofFinishedHook returns the objects of the last hook. Argo CD 3.4 deletes them if its cache has seen them before it searches for objects to
// delete, which it does without waiting (executeHooks and cleanupHooks of controller/hook.go); the Job and its pod are deleted after the Job's time
// to live in any case.
func ofFinishedHook() []string {
	var names []string
	for _, resource := range []string{"jobs", "pods", "roles", "rolebindings", "serviceaccounts"} {
		names = append(names, resource+"/uninstall-leftovers")
	}
	return names
}

// codefreshDefinitions names the definitions of the platform's kinds.
func (n *neighbors) codefreshDefinitions(t *testing.T) []string {
	t.Helper()
	list, err := n.metadata.Resource(definitions).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var names []string
	for _, item := range list.Items {
		if strings.HasSuffix(item.Name, ".codefresh.io") {
			names = append(names, item.Name)
		}
	}
	return names
}

// chartInCluster is where the other Argo CD finds the chart: in the registry of the images.
const chartInCluster = "oci://" + install.RegistryInCluster + "/charts/gitops-runtime"

// serveChart puts the chart into the registry, and configures the other Argo CD for it without TLS.
func (n *neighbors) serveChart(t *testing.T) {
	t.Helper()
	require.NoError(t, n.local.Helm.Push(t.Context(), filepath.Join(n.local.Root, "charts", "gitops-runtime"), "oci://"+install.RegistryOnHost+"/charts", t.Output()))
	n.apply(t, fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: chart, namespace: %s, labels: {argocd.argoproj.io/secret-type: repository}},"+
		" stringData: {type: oci, url: %q, insecureOCIForceHttp: 'true'}}", neighbor, chartInCluster))
}

// runtimeSecrets returns what the documented Application finds in the runtime's namespace, and the password of the other Argo CD.
func (n *neighbors) runtimeSecrets(t *testing.T) string {
	t.Helper()
	password, err := n.secret(t.Context(), neighbor, "argocd-initial-admin-secret", "password")
	require.NoError(t, err)
	secret := "{apiVersion: v1, kind: Secret, metadata: {name: %s, namespace: codefresh}, stringData: {%s: %q}}"
	return fmt.Sprintf(secret+"\n---\n"+secret, "codefresh-api-key", "token", install.UserToken, "argocd-initial-admin-secret", "password", password)
}

// runtimeApplication returns the documented Application, with the local cluster's addresses and images instead of those of the example. more are
// values that override all others, in YAML.
func (n *neighbors) runtimeApplication(t *testing.T, more string) *unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.local.Root, "charts", "gitops-runtime", "ci", "argo-cd-application.yaml"))
	require.NoError(t, err)
	application := documents(t, string(text))[0]
	application.SetNamespace(neighbor)
	documented, _, err := unstructured.NestedMap(application.Object, "spec", "source", "helm", "valuesObject")
	require.NoError(t, err)
	values := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(more), &values))
	local := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(localOfApplication), &local))
	values = chartutil.MergeTables(values, local)
	for _, name := range n.mesh.ValueFiles {
		layer, err := chartutil.ReadValuesFile(name)
		require.NoError(t, err)
		values = chartutil.MergeTables(values, layer)
	}
	values = chartutil.MergeTables(values, documented)
	unstructured.RemoveNestedField(values, "global", "codefresh", "userToken", "token") // the documented one is a reference
	version, _, err := unstructured.NestedString(application.Object, "spec", "source", "targetRevision")
	require.NoError(t, err)
	require.NoError(t, unstructured.SetNestedMap(application.Object, map[string]any{
		"repoURL": chartInCluster, "path": ".", "targetRevision": version,
		"helm": map[string]any{"releaseName": install.Release, "valuesObject": asJSON(t, values)},
	}, "spec", "source"))
	return application
}

// rolloutsThere removes the CRDs that the cluster already has, since Argo CD renders without the cluster, and leaves the objects of the other Argo
// Rollouts to that.
const rolloutsThere = "argo-rollouts: {installCRDs: false, controller: {instanceID: runtime}}"

// localOfApplication are the values of the local cluster that differ from the example.
const localOfApplication = `
global:
  codefresh: {accountId: acc1}
  runtime: {name: local}
  integrations:
    argo-cd:
      server: {svc: alone-argocd-server.e2e-neighbor}
      repoServer: {svc: alone-argocd-repo-server.e2e-neighbor}
`

// asJSON converts values to JSON types: unstructured objects contain no other kinds of numbers.
func asJSON(t *testing.T, values map[string]any) map[string]any {
	t.Helper()
	text, err := yaml.Marshal(values)
	require.NoError(t, err)
	plain := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal(text, &plain.Object))
	return plain.Object
}
