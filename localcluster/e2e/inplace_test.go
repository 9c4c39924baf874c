//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/localcluster/images"
	"gitops-runtime/localcluster/install"
	"gitops-runtime/tests/published"
)

// deployed is an Application with a history, as the published release has left it. It is not synced automatically.
const deployed = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: e2e-deployed, namespace: codefresh}
spec:
  project: default
  source: {repoURL: http://git-server.platform.svc.cluster.local/apps.git, path: guestbook, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: e2e-guestbook}
status:
  history:
  - id: 7
    revision: "0123456789012345678901234567890123456789"
    deployedAt: "2026-08-10T12:00:00Z"
    source: {repoURL: http://git-server.platform.svc.cluster.local/apps.git, path: guestbook, targetRevision: main}`

// TestInPlace checks that one helm upgrade turns a release with the names, labels, selectors and fields of the published chart into one of this
// chart. The API server rejects nothing, workloads are updated and not replaced, and Applications keep their history. Helm 4 installs and upgrades,
// with server-side apply; TestCycles upgrades with Helm 3.
func TestInPlace(t *testing.T) {
	e := start(t).by(helm4)
	defer e.clean(t)
	require.True(t, e.run(t, "published release", e.installPublished), "no published release, so nothing to upgrade")
	e.apply(t, namespaceOf("e2e-guestbook"))
	e.apply(t, deployed)
	application, workloads := e.historyOf(t), e.workloadIDs(t, install.Namespace)
	delete(workloads, "Deployment argo-cd-dex-server") // this chart has it only if a user enables it
	require.True(t, e.run(t, "upgrade", func(t *testing.T) { e.install(t, images.Tunnel) }), "the upgrade was rejected, so there is nothing to compare")
	e.run(t, "workloads", func(t *testing.T) { assert.Subset(t, e.workloadIDs(t, install.Namespace), workloads) })
	e.run(t, "application", func(t *testing.T) {
		eventually(t, "Argo CD compares the Application", 3*time.Minute, e.has("applications", install.Namespace, "e2e-deployed", map[string]string{"status.sync.status": "OutOfSync"}))
		require.Equal(t, application, e.historyOf(t))
		e.platform(t).getsEvent(t, "Application", install.Namespace, "e2e-deployed")
	})
	e.run(t, "app-proxy", e.access(t, images.Tunnel).appProxy)
}

// installPublished installs a chart of manifests that are generated from the contract, with the CRDs that it owns.
func (e *environment) installPublished(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	ready, err := e.local.Prepare(ctx, images.Tunnel)
	require.NoError(t, err)
	e.ready = ready
	e.apply(t, namespaceOf(install.Namespace))
	objects, err := published.Objects(published.Options{
		Release: install.Release, Namespace: install.Namespace, Runtime: install.Name, Account: install.AccountID, Image: standIn,
		Secrets: map[string]string{"codefresh-user-token/token": install.UserToken},
	})
	require.NoError(t, err)
	definitions := e.definitionsIn(t, "argo-cd/files/crds/*.yaml", "argo-workflows/files/crds/minimal/*.yaml", "gitops-runtime/files/crds/codefresh.io/*.yaml")
	require.NoError(t, e.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: install.Release, Chart: chartOf(t, "gitops-runtime", append(definitions, objects...)), Namespace: install.Namespace, Timeout: 5 * time.Minute,
	}, t.Output()))
	e.mapper.Reset()
}

// chartOf returns a chart of rendered manifests.
func chartOf(t *testing.T, name string, objects []*unstructured.Unstructured) string {
	t.Helper()
	chart := filepath.Join(t.TempDir(), name)
	files := map[string][]byte{
		"Chart.yaml": []byte("{apiVersion: v2, version: 0.30.0, name: " + name + "}"),
		"templates/all.yaml": []byte(
			"{{ range $path, $bytes := .Files.Glob \"files/*.yaml\" }}\n---\n{{ ($.Files.Get $path | fromYaml).text }}\n{{ end }}"), // as texts, since objects may contain braces
	}
	for i, object := range objects {
		text, err := yaml.Marshal(map[string]any{"text": manifest(t, object)})
		require.NoError(t, err)
		files[fmt.Sprintf("files/%03d.yaml", i)] = text
	}
	write(t, chart, files)
	return chart
}

// definitionsIn returns the definitions of kinds in files below charts/, which are part of a release.
func (e *environment) definitionsIn(t *testing.T, patterns ...string) []*unstructured.Unstructured {
	t.Helper()
	var found []*unstructured.Unstructured
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(e.local.Root, "charts", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			definition := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal(text, &definition.Object))
			found = append(found, definition)
		}
	}
	return found
}

func manifest(t *testing.T, object *unstructured.Unstructured) string {
	t.Helper()
	text, err := yaml.Marshal(object.Object)
	require.NoError(t, err)
	return string(text)
}

func write(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}

// historyOf returns the identity of the deployed Application and its history.
func (e *environment) historyOf(t *testing.T) map[string]any {
	t.Helper()
	object, err := e.object(t.Context(), "applications", install.Namespace, "e2e-deployed")
	require.NoError(t, err)
	history, found, err := unstructured.NestedSlice(object.Object, "status", "history")
	require.NoError(t, err)
	require.True(t, found)
	return map[string]any{"uid": object.GetUID(), "history": history}
}

// workloadIDs returns the workloads of a namespace by kind and name, with what distinguishes a replaced one from an updated one.
func (e *environment) workloadIDs(t *testing.T, namespace string) map[string]string {
	t.Helper()
	found := map[string]string{}
	deployments, err := e.client.AppsV1().Deployments(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, deployment := range deployments.Items {
		found["Deployment "+deployment.Name] = string(deployment.UID)
	}
	sets, err := e.client.AppsV1().StatefulSets(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, set := range sets.Items {
		found["StatefulSet "+set.Name] = string(set.UID)
	}
	return found
}
