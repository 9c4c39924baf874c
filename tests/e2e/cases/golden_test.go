//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"gitops-runtime/tests/golden"
)

// goldenNamespace is the namespace of the objects of golden files; clean removes namespaces with its prefix.
const goldenNamespace = "e2e-golden"

// TestGoldenFiles sends every object of every golden case to the real API server, as a server-side dry run, in a namespace with the Pod Security
// level baseline; and a pod of each workload, so that admission checks it, too.
func TestGoldenFiles(t *testing.T) { start(t).golden(t) }

func (e *environment) golden(t *testing.T) {
	e.applyHere(t, runtimeNamespace(goldenNamespace))
	e.defineForGolden(t)
	chart, err := golden.Load(t.Context(), e.local.Root)
	require.NoError(t, err)
	e.refusesWhatItShould(t)
	tried := map[string]bool{}
	for _, of := range golden.Cases() {
		documents, err := chart.Documents(of)
		require.NoError(t, err)
		e.serviceAccounts(t, documents)
		e.run(t, of.Name, func(t *testing.T) {
			for _, document := range documents {
				if tried[document.Text] {
					continue
				}
				tried[document.Text] = true
				assert.NoError(t, e.accepts(t.Context(), document.Object), document.Key())
				if template := podOf(t, document.Object); template != nil {
					_, err := e.client.CoreV1().Pods(goldenNamespace).Create(t.Context(), template, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
					assert.NoError(t, err, "a pod of %s", document.Key())
				}
			}
			t.Logf("%d objects, %d different ones so far", len(documents), len(tried))
		})
	}
	assert.Greater(t, len(tried), 200)
}

// refusesWhatItShould checks that an unknown field and a privileged pod are rejected.
func (e *environment) refusesWhatItShould(t *testing.T) {
	t.Helper()
	odd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "odd", "namespace": golden.Namespace}, "dada": map[string]any{},
	}}
	require.ErrorContains(t, e.accepts(t.Context(), odd), "dada")
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "root"}}
	_, err := e.client.CoreV1().ServiceAccounts(goldenNamespace).Create(t.Context(), account, metav1.CreateOptions{})
	require.NoError(t, err)
	root := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "root"},
		Spec:       corev1.PodSpec{ServiceAccountName: "root", HostNetwork: true, Containers: []corev1.Container{{Name: "root", Image: "root"}}},
	}
	_, err = e.client.CoreV1().Pods(goldenNamespace).Create(t.Context(), root, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.ErrorContains(t, err, "violates PodSecurity")
}

// accepts applies an object as a dry run. Server-side apply rejects fields that the kind does not have.
func (e *environment) accepts(ctx context.Context, object *unstructured.Unstructured) error {
	target, name, err := e.resourceOf(object)
	if err != nil {
		return err
	}
	_, err = target.Apply(ctx, name, moved(object), metav1.ApplyOptions{FieldManager: goldenNamespace, Force: true, DryRun: []string{metav1.DryRunAll}})
	return err
}

// resourceOf returns the resource of an object, and its name.
func (e *environment) resourceOf(object *unstructured.Unstructured) (dynamic.ResourceInterface, string, error) {
	kind := object.GroupVersionKind()
	mapping, err := e.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, "", err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return e.objects.Resource(mapping.Resource), object.GetName(), nil
	}
	return e.objects.Resource(mapping.Resource).Namespace(moved(object).GetNamespace()), object.GetName(), nil
}

// moved returns an object with the release's namespace replaced by that of the test; objects of other namespaces are unchanged.
func moved(object *unstructured.Unstructured) *unstructured.Unstructured {
	copied := object.DeepCopy()
	if namespace := copied.GetNamespace(); namespace == golden.Namespace {
		copied.SetNamespace(goldenNamespace)
	}
	return copied
}

// serviceAccounts creates the accounts of a case, without which no pod is admitted.
func (e *environment) serviceAccounts(t *testing.T, documents []golden.Document) {
	t.Helper()
	for _, document := range documents {
		if document.Object.GetKind() != "ServiceAccount" {
			continue
		}
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: document.Object.GetName()}}
		_, err := e.client.CoreV1().ServiceAccounts(goldenNamespace).Create(t.Context(), account, metav1.CreateOptions{})
		if !errors.IsAlreadyExists(err) {
			require.NoError(t, err)
		}
	}
}

// podOf returns a pod as a workload creates it; nil for other kinds.
func podOf(t *testing.T, object *unstructured.Unstructured) *corev1.Pod {
	t.Helper()
	switch object.GetKind() {
	case "Deployment", "StatefulSet", "Job":
	default:
		return nil
	}
	fields, found, err := unstructured.NestedMap(object.Object, "spec", "template")
	require.NoError(t, err)
	require.True(t, found)
	pod := &corev1.Pod{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(fields, pod))
	pod.Name = strings.ToLower(object.GetKind()) + "-" + object.GetName()
	// the controller adds a volume for each claim
	claims, _, err := unstructured.NestedSlice(object.Object, "spec", "volumeClaimTemplates")
	require.NoError(t, err)
	for _, claim := range claims {
		name, _, err := unstructured.NestedString(claim.(map[string]any), "metadata", "name")
		require.NoError(t, err)
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	}
	return pod
}

// defineForGolden creates the CRDs of the kinds in the golden files that the cluster does not have, during the test.
func (e *environment) defineForGolden(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{"charts/*/files/crds/*.yaml", "charts/gitops-runtime/crds/*.yaml", "tests/e2e/addons/definitions/*.yaml", "tests/manifests/definitions/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(e.local.Root, pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, object := range documents(t, string(text)) {
				if object.GetKind() == "CustomResourceDefinition" {
					e.define(t, object)
				}
			}
		}
	}
	eventually(t, "the kinds of the golden files are known", time.Minute, func(context.Context) error {
		e.mapper.Reset()
		for _, kind := range []schema.GroupKind{
			{Group: "argoproj.io", Kind: "EventBus"}, {Group: "argoproj.io", Kind: "AppProject"}, {Group: "argoproj.io", Kind: "Rollout"},
			{Group: "gateway.networking.k8s.io", Kind: "HTTPRoute"}, {Group: "monitoring.coreos.com", Kind: "ServiceMonitor"}, {Group: "monitoring.coreos.com", Kind: "PrometheusRule"},
		} {
			if _, err := e.mapper.RESTMapping(kind); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
		}
		return nil
	})
}

// define creates a missing CRD, and removes it after the test.
func (e *environment) define(t *testing.T, definition *unstructured.Unstructured) {
	t.Helper()
	_, err := e.objects.Resource(definitions).Create(t.Context(), definition, metav1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return
	}
	require.NoError(t, err, definition.GetName())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		ignoreMissing(t, e.objects.Resource(definitions).Delete(ctx, definition.GetName(), metav1.DeleteOptions{}))
	})
}
