package render_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// pod returns the pod spec of a workload, or nil for other kinds.
func pod(t *testing.T, object render.Object) *corev1.PodSpec {
	t.Helper()
	fields, found, err := unstructured.NestedMap(object.Object, "spec", "template", "spec")
	require.NoError(t, err)
	if !found || !slices.Contains([]string{"Deployment", "StatefulSet", "Job", "DaemonSet"}, object.GetKind()) {
		return nil
	}
	var spec corev1.PodSpec
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(fields, &spec, true), "%s/%s", object.GetKind(), object.GetName())
	return &spec
}

// closed returns the workloads with closed-source images, whose users and the paths that they write to are unknown.
func closed() []string {
	return []string{"cap-app-proxy", "gitops-operator", "argo-gateway", "runtime-event-reporter", "cluster-event-reporter"}
}

// Every container of a public image meets the restricted Pod Security Standard and has a read-only root file system.
func TestEveryContainerIsRestrictedAndReadOnly(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		for _, object := range umbrella(mode, nil).Objects(t) {
			spec := pod(t, object)
			if spec == nil || slices.Contains(closed(), object.GetName()) {
				continue
			}
			where := fmt.Sprintf("%s: %s/%s", mode, object.GetKind(), object.GetName())
			assert.Empty(t, render.Forbidden(metav1.ObjectMeta{}, *spec), where)
			for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
				assert.Equal(t, true, *container.SecurityContext.ReadOnlyRootFilesystem, "%s, container %s", where, container.Name)
			}
		}
	}
}

// No role has wildcard rules, except the roles with which Argo CD deploys arbitrary objects and its users reach them, and those of the event reporters without rbac.narrow.
func TestNoWildcardRights(t *testing.T) {
	t.Parallel()
	narrow := map[string]string{
		"event-reporters.runtime-event-reporter.rbac.narrow": "true", "event-reporters.cluster-event-reporter.rbac.narrow": "true",
		"argo-cd.server.rbac.narrow": "true",
	}
	for _, mode := range modes() {
		found, err := render.Wildcards(umbrella(mode, narrow).Objects(t), "codefresh-argo-cd-application-controller", "codefresh-argo-cd-server", "argocd-namespaced-role")
		require.NoError(t, err)
		assert.Empty(t, found, mode)
	}
}

// Credentials in plain text are rendered only into Secrets.
func TestSecretsStayInSecrets(t *testing.T) {
	t.Parallel()
	canaries := map[string]string{
		"global.codefresh.userToken.token":             "canary-user-token",
		"global.runtime.gitCredentials.password.value": "canary-git-password",
	}
	for _, mode := range modes() {
		for _, object := range umbrella(mode, canaries).Objects(t) {
			if object.GetKind() == "Secret" {
				continue
			}
			text, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			for _, canary := range canaries {
				assert.NotContains(t, string(text), canary, "%s: %s/%s", mode, object.GetKind(), object.GetName())
			}
		}
	}
}

// clusterScoped returns the cluster-scoped kinds of the charts, except CRDs, which releases share by design.
func clusterScoped() []string {
	return []string{"ClusterRole", "ClusterRoleBinding", "ValidatingWebhookConfiguration", "PriorityClass"}
}

func TestTwoReleasesShareNothing(t *testing.T) {
	t.Parallel()
	first := umbrella("tunnel", nil)
	second := umbrella("tunnel", nil)
	second.Namespace = "other"
	names := render.Names(first.Objects(t), clusterScoped()...)
	for _, name := range render.Names(second.Objects(t), clusterScoped()...) {
		assert.NotContains(t, names, name)
	}
}

func TestNamesFitForTheLongestRelease(t *testing.T) {
	t.Parallel()
	long := umbrella("tunnel", nil)
	long.Name = "r" + strings.Repeat("x", 51) + "z"
	for _, chart := range []string{"gitops-runtime", "argo-cd", "argo-events", "argo-rollouts", "argo-workflows"} {
		release := long
		if release.Chart = chart; chart != "gitops-runtime" {
			release.Files = nil
		}
		seen := map[string]bool{}
		for _, object := range release.Objects(t) {
			if object.GetKind() == "CustomResourceDefinition" {
				continue
			}
			key := object.GetKind() + "/" + object.GetNamespace() + "/" + object.GetName()
			assert.False(t, seen[key], "%s: two objects are named %s", chart, key)
			seen[key] = true
			if !slices.Contains(clusterScoped(), object.GetKind()) {
				assert.LessOrEqual(t, len(object.GetName()), 63, "%s: %s", chart, key)
			}
			for label, value := range object.GetLabels() {
				assert.LessOrEqual(t, len(value), 63, "%s: label %s of %s", chart, label, key)
			}
		}
	}
}

// A new CA certificate restarts the programs that trust it, since they read certificates at startup.
func TestNewCACertificatesRestartPrograms(t *testing.T) {
	t.Parallel()
	templates := func(key, content string) map[string]any {
		found := map[string]any{}
		set := map[string]string{"global.codefresh.tls.caCerts.secret.create": "true", "global.codefresh.tls.caCerts.secret.content": "one", key: content}
		for _, object := range umbrella("tunnel", set).Objects(t) {
			if template, there, _ := unstructured.NestedMap(object.Object, "spec", "template"); there && object.GetKind() != "Job" {
				found[object.GetKind()+"/"+object.GetName()] = template
			}
		}
		return found
	}
	changed := func(key string) (names []string) {
		before, after := templates(key, "one"), templates(key, "two")
		for name := range before {
			if !reflect.DeepEqual(before[name], after[name]) {
				names = append(names, name)
			}
		}
		return names
	}
	assert.ElementsMatch(t, []string{
		"Deployment/argo-gateway", "Deployment/cap-app-proxy", "Deployment/codefresh-tunnel-client", "Deployment/gitops-operator",
		"Deployment/runtime-event-reporter", "Deployment/cluster-event-reporter",
	}, changed("global.codefresh.tls.caCerts.secret.content"))
	assert.ElementsMatch(t, []string{"Deployment/cap-app-proxy"},
		changed(`global.codefresh.tls.workflowPipelinesGitWebhooks.certificates.git\.example\.com`))
}

// Values can restrict the root file system and the user of closed-source programs, which are unrestricted by default.
func TestClosedProgramsAreRestrictedByValues(t *testing.T) {
	t.Parallel()
	for path, name := range map[string]string{
		"app-proxy": "cap-app-proxy", "argo-gateway": "argo-gateway", "gitops-operator": "gitops-operator", "global.event-reporters": "cluster-event-reporter",
	} {
		set := map[string]string{path + ".securityContext": `{"readOnlyRootFilesystem": true}`, path + ".podSecurityContext": `{"runAsUser": 1234}`}
		of := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}
		of.SetJSON = set
		restricted := pod(t, *render.Find(of.Objects(t), "Deployment", name))
		assert.Equal(t, true, *restricted.Containers[0].SecurityContext.ReadOnlyRootFilesystem, name)
		assert.Equal(t, int64(1234), *restricted.SecurityContext.RunAsUser, name)
	}
}
