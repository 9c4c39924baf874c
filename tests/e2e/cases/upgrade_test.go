//go:build e2e

package e2e_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// sameChartAgain checks that an upgrade that changes nothing replaces and restarts no pod.
func (e *environment) sameChartAgain(t *testing.T) {
	before := e.pods(t, "")
	require.NotEmpty(t, before)
	e.install(t, images.Tunnel)
	require.Equal(t, before, e.pods(t, ""))
}

// upgraded checks that one `helm upgrade` turns the previous release, whose package is in testdata, into this one: no workload is lost or changes
// its selector, and tokens, passwords, applications and workflows are kept. It returns whether the runtime is installed.
func (e *environment) upgraded(t *testing.T) bool {
	if !e.run(t, "previous release", e.installPrevious) {
		return false
	}
	of := []string{namespaceOf("e2e-guestbook"), guestbook, suspended}
	for _, object := range of {
		e.apply(t, object)
	}
	deployed := e.has("applications", install.Namespace, "e2e-guestbook", map[string]string{"status.sync.status": "Synced", "status.health.status": "Healthy"})
	eventually(t, "the application is synced and healthy", 3*time.Minute, deployed)
	eventually(t, "the workflow waits", time.Minute, e.has("workflows", install.Namespace, "e2e-suspended", map[string]string{"status.phase": "Running"}))
	selectors, state := e.selectors(t), e.state(t)
	if !e.run(t, "upgrade", func(t *testing.T) { e.by(oldestHelm).install(t, images.Mesh) }) {
		return false
	}
	e.run(t, "selectors", func(t *testing.T) { assert.Subset(t, e.selectors(t), selectors) })
	e.run(t, "state", func(t *testing.T) { assert.Equal(t, state, e.state(t)) })
	e.run(t, "application", func(t *testing.T) { eventually(t, "the application is synced and healthy", time.Minute, deployed) })
	e.run(t, "webhook", e.access(t, images.Mesh).webhook)
	for _, object := range slices.Backward(of) { // the user's objects are deleted first
		require.NoError(t, e.local.Kubectl.Delete(t.Context(), documents(t, object), time.Minute))
	}
	return true
}

// previousValues are those of the previous release: no check in its hook, which used another installer; and a number for the users of the closed
// programs' images, which it demanded not to be root, whatever the images say.
const previousValues = `
installer: {skipValidation: true}
app-proxy: {podSecurityContext: {runAsUser: 1000}}
argo-gateway: {podSecurityContext: {runAsUser: 1000}}
gitops-operator: {podSecurityContext: {runAsUser: 1000}}
event-reporters:
  runtime-event-reporter: {podSecurityContext: {runAsUser: 1000}}
  cluster-event-reporter: {podSecurityContext: {runAsUser: 1000}}
`

// installPrevious installs the previous release with the images of this one, also where the versions differ.
func (e *environment) installPrevious(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	ready, err := e.local.Prepare(ctx, images.Mesh)
	require.NoError(t, err)
	workflows, err := chartutil.LoadChartfile(filepath.Join(e.local.Path(install.Chart{Name: "argo-workflows"}), "Chart.yaml"))
	require.NoError(t, err)
	require.NoError(t, e.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: install.Release, Chart: filepath.Join("testdata", "previous-release.tgz"), Namespace: install.Namespace,
		ValueFiles: append(ready.ValueFiles, file(t, previousValues)), Sets: []string{"argo-workflows.images.tag=" + workflows.AppVersion},
		Args: []string{"--skip-schema-validation"}, Timeout: 10 * time.Minute,
	}, t.Output()))
	e.mapper.Reset()
}

// selectors returns the selectors of the runtime's workloads, by kind and name.
func (e *environment) selectors(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	deployments, err := e.client.AppsV1().Deployments(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + install.Release})
	require.NoError(t, err)
	for _, deployment := range deployments.Items {
		found["Deployment "+deployment.Name] = metav1.FormatLabelSelector(deployment.Spec.Selector)
	}
	sets, err := e.client.AppsV1().StatefulSets(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + install.Release})
	require.NoError(t, err)
	for _, set := range sets.Items {
		found["StatefulSet "+set.Name] = metav1.FormatLabelSelector(set.Spec.Selector)
	}
	require.NotEmpty(t, found)
	return found
}

// state returns what a runtime created after it was installed: the content of the Secrets, and which objects exist.
func (e *environment) state(t *testing.T) map[string]string {
	t.Helper()
	kept := map[string]string{}
	for name, key := range map[string]string{"codefresh-token": "token", "argocd-initial-admin-secret": "password", "argocd-redis": "auth"} {
		value, err := e.secret(t.Context(), install.Namespace, name, key)
		require.NoError(t, err)
		kept["the Secret "+name] = fmt.Sprintf("%x", sha256.Sum256([]byte(value)))
	}
	for resource, name := range map[string]string{"applications": "e2e-guestbook", "workflows": "e2e-suspended", "appprojects": "default"} {
		object, err := e.object(t.Context(), resource, install.Namespace, name)
		require.NoError(t, err)
		kept[resource+"/"+name] = string(object.GetUID())
	}
	kept["runtimes"] = fmt.Sprint(e.platform(t).runtimes(t))
	return kept
}
