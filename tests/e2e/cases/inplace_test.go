//go:build e2e

package e2e_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/published"
)

// deployed is an Application with a history, as the published release has left it. It is not synced automatically.
var deployed = objects("deployed")

// TestInPlace checks that one helm upgrade turns a release with what the published chart renders into one of this chart. The API server rejects
// nothing, workloads are updated and not replaced, Applications keep their history, and workflows that need root run. The node has the documented
// size. Helm 4 installs and upgrades, with server-side apply; TestCycles upgrades with Helm 3.
func TestInPlace(t *testing.T) {
	e := start(t).by(helm4)
	defer e.clean(t)
	e.documentedNode(t).inPlace(t, upgradeFrom{to: images.Tunnel})
}

// upgradeFrom is an upgrade of the published release.
type upgradeFrom struct {
	chart string // the chart of tests/published; the newest published chart if empty
	mode  string // the published chart's mode of values; its defaults if empty
	image string // the image of every container before the upgrade; a stand-in that answers probes if empty
	to    images.Mode
	files []string // files of more values
	// external means that the release uses an Argo CD in the namespace neighbor.
	external bool
}

// inPlace installs what the published chart renders, and upgrades it to this chart.
func (e *environment) inPlace(t *testing.T, u upgradeFrom) {
	require.True(t, e.run(t, "published release", func(t *testing.T) { e.installPublished(t, u) }), "no published release, so nothing to upgrade")
	e.apply(t, namespaceOf("e2e-guestbook"))
	e.apply(t, deployed)
	application, workloads := e.historyOf(t), e.workloadIDs(t, install.Namespace)
	for _, gone := range []string{"Deployment argo-cd-dex-server", "Deployment sources-server", "StatefulSet event-reporter"} {
		delete(workloads, gone) // Dex is installed if a user enables it; argo-gateway and runtime-event-reporter take the place of 0.24's programs
	}
	files := u.files
	if u.chart == "" {
		files = append(slices.Clone(u.files), file(t, added))
		e.run(t, "no controller by itself", func(t *testing.T) { e.addsNoController(t, u) })
	}
	require.True(t, e.run(t, "upgrade", func(t *testing.T) { e.installFiles(t, u.to, files) }), "the upgrade was rejected, so there is nothing to compare")
	e.run(t, "workloads", func(t *testing.T) { assert.Subset(t, e.workloadIDs(t, install.Namespace), workloads) })
	a := e.access(t, u.to)
	e.run(t, "app-proxy", a.appProxy)
	e.run(t, "workflow as root", e.rootWorkflow)
	e.run(t, "nothing forbidden", func(t *testing.T) { e.nothingForbidden(t, install.Namespace) })
	if u.external {
		return
	}
	e.run(t, "repo server", e.repoServer)
	e.run(t, "application", func(t *testing.T) {
		eventually(t, "Argo CD compares the Application", 3*time.Minute, e.has("applications", install.Namespace, "e2e-deployed", map[string]string{"status.sync.status": "OutOfSync"}))
		require.Equal(t, application, e.historyOf(t))
		e.platform(t).getsEvent(t, "Application", install.Namespace, "e2e-deployed")
	})
}

// added are the values with which an upgrade adds the controllers that the published release lacks.
const added = "{argo-rollouts: {enabled: true}, argo-events: {enabled: true}, argo-cd: {notifications: {enabled: true}}}"

// addsNoController checks that the upgrade stops in its hook until the values say which controllers it adds, and leaves the release as it is.
func (e *environment) addsNoController(t *testing.T, u upgradeFrom) {
	before, workloads := e.pods(t, ""), e.workloadIDs(t, install.Namespace)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out strings.Builder
	require.Error(t, e.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: install.Release, Chart: filepath.Join(e.local.Root, "charts", "gitops-runtime"), Namespace: install.Namespace,
		ValueFiles: append(slices.Clone(e.ready.ValueFiles), u.files...), Timeout: time.Minute,
	}, &out))
	for _, title := range []string{"Argo Rollouts", "Argo Events"} {
		assert.Contains(t, out.String(), "CLU801  This release has no "+title+", and the upgrade would install it.")
	}
	assert.Equal(t, workloads, e.workloadIDs(t, install.Namespace))
	if u.image == "" { // otherwise pods of the release still start
		assert.Equal(t, before, e.pods(t, ""))
	}
}

// installPublished installs a chart of manifests that are made of what the published chart renders, with the CRDs that it owns.
func (e *environment) installPublished(t *testing.T, u upgradeFrom) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	prepared, err := e.local.Prepare(ctx, u.to)
	require.NoError(t, err)
	e.ready = prepared
	e.apply(t, runtimeNamespace(install.Namespace))
	options := published.Options{
		Mode: u.mode, Release: install.Release, Namespace: install.Namespace, Runtime: install.Name, Account: install.AccountID,
		Image: cmp.Or(u.image, standIn), Secrets: map[string]string{"codefresh-user-token/token": install.UserToken},
	}
	objects, err := published.Objects(options)
	if u.chart != "" {
		objects, err = published.Chart(u.chart, options)
	}
	require.NoError(t, err)
	patterns := []string{"argo-workflows/files/crds/minimal/*.yaml", "gitops-runtime/files/crds/codefresh.io/*.yaml"}
	if !u.external {
		patterns = append(patterns, "argo-cd/files/crds/*.yaml")
	}
	if u.chart != "" {
		patterns = append(patterns, "argo-rollouts/files/crds/*.yaml", "argo-events/files/crds/*.yaml")
	}
	definitions, ready := e.definitionsIn(t, patterns...), u.image == ""
	err = e.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: install.Release, Chart: chartOf(t, "gitops-runtime", append(definitions, objects...)), Namespace: install.Namespace,
		Timeout: map[bool]time.Duration{true: 5 * time.Minute, false: 10 * time.Second}[ready],
	}, t.Output())
	require.Equal(t, ready, err == nil, err)
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
