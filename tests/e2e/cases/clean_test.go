//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/install"
)

// aloneRelease is the release of a chart that is installed on its own.
const aloneRelease = "alone"

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// clean removes what an earlier run or install has left: the release, those of tests, their namespaces, and Argo's CRDs, which Helm keeps with the
// name of the release. The platform is reset to its seed.
func (e *environment) clean(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, release := range e.leftOverReleases(ctx, t) {
		e.uninstallLeftOver(ctx, t, release)
	}
	namespaces, err := e.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	var gone []string
	for _, namespace := range namespaces.Items {
		if namespace.Name == install.Namespace || strings.HasPrefix(namespace.Name, "e2e-") {
			gone = append(gone, namespace.Name)
			ignoreMissing(t, e.client.CoreV1().Namespaces().Delete(ctx, namespace.Name, metav1.DeleteOptions{}))
		}
	}
	for _, name := range e.argoDefinitions(ctx, t) {
		ignoreMissing(t, e.metadata.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{}))
	}
	eventually(t, "what an earlier run has left is gone", 2*time.Minute, func(ctx context.Context) error {
		e.releaseFinalizers(ctx, t)
		for _, name := range gone {
			if _, err := e.client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}); !errors.IsNotFound(err) {
				return fmt.Errorf("the namespace %s still exists: %w", name, err)
			}
		}
		if left := e.argoDefinitions(ctx, t); len(left) > 0 {
			return fmt.Errorf("definitions still exist: %v", left)
		}
		return nil
	})
	e.mapper.Reset()
	e.platform(t).reset(t)
}

// leftOverReleases returns the runtime's release and, in namespaces of tests, those of other runtimes and of separate charts.
func (e *environment) leftOverReleases(ctx context.Context, t *testing.T) []types.NamespacedName {
	t.Helper()
	releases := []types.NamespacedName{{Namespace: install.Namespace, Name: install.Release}}
	secrets, err := e.client.CoreV1().Secrets("").List(ctx, metav1.ListOptions{LabelSelector: fmt.Sprintf("owner=helm,name in (%s,%s)", aloneRelease, install.Release)})
	require.NoError(t, err)
	for _, secret := range secrets.Items {
		release := types.NamespacedName{Namespace: secret.Namespace, Name: secret.Labels["name"]}
		if strings.HasPrefix(secret.Namespace, "e2e-") && !slices.Contains(releases, release) {
			releases = append(releases, release)
		}
	}
	return releases
}

// uninstallLeftOver uninstalls a release, even one whose own controllers or hooks are broken.
func (e *environment) uninstallLeftOver(ctx context.Context, t *testing.T, release types.NamespacedName) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := e.local.Helm.Uninstall(ctx, release.Name, release.Namespace, 2*time.Minute, t.Output())
		if err != nil {
			err = e.local.Helm.Uninstall(ctx, release.Name, release.Namespace, 2*time.Minute, t.Output(), "--no-hooks")
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			require.NoError(t, err)
			return
		case <-time.After(time.Second):
			e.releaseFinalizers(ctx, t)
		}
	}
}

// releaseFinalizers removes finalizers from objects that are being deleted and whose controllers were deleted before them.
func (e *environment) releaseFinalizers(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, definition := range e.argoDefinitions(ctx, t) {
		name, of := strings.CutSuffix(definition, ".argoproj.io")
		if !of {
			continue // the others have no finalizers
		}
		resource := argo(name)
		list, err := e.metadata.Resource(resource).List(ctx, metav1.ListOptions{})
		ignoreMissing(t, err)
		if err != nil {
			continue // the definition was deleted in the meantime
		}
		for _, item := range list.Items {
			if len(item.Finalizers) == 0 || item.DeletionTimestamp == nil {
				continue
			}
			_, err := e.metadata.Resource(resource).Namespace(item.Namespace).
				Patch(ctx, item.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			ignoreMissing(t, err)
		}
	}
}

// argoDefinitions names the CRDs of the runtime's charts, which Helm keeps or an Argo CD applied: of Argo, of codefresh.io and of sealed-secrets.
func (e *environment) argoDefinitions(ctx context.Context, t *testing.T) []string {
	t.Helper()
	list, err := e.metadata.Resource(definitions).List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	var names []string
	for _, item := range list.Items {
		if strings.HasSuffix(item.Name, ".argoproj.io") || strings.HasSuffix(item.Name, ".codefresh.io") || item.Name == "sealedsecrets.bitnami.com" {
			names = append(names, item.Name)
		}
	}
	return names
}

func ignoreMissing(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.IsNotFound(err) {
		require.NoError(t, err)
	}
}
