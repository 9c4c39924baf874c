//go:build e2e

package e2e_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/published"
)

// installCommunity installs a release with the names, selectors and fields of the community chart and the CRDs of its kinds. It returns the
// workloads that have to exist after the upgrade.
func (a alone) installCommunity(t *testing.T) map[string]string {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	objects, err := published.Chart(a.chart.Name, published.Options{Release: aloneRelease, Namespace: a.namespace, Image: standIn})
	require.NoError(t, err)
	require.NoError(t, a.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: aloneRelease, Chart: chartOf(t, a.chart.Name, append(a.definitionsIn(t, a.chart.definitions), objects...)), Namespace: a.namespace,
		Timeout: 2 * time.Minute,
	}, t.Output()))
	a.mapper.Reset()
	if a.chart.Name == "argo-cd" { // Argo CD itself fills this Secret of the release
		made, err := json.Marshal(map[string]any{"stringData": map[string]string{
			"admin.password": "$2a$10$rRyBsGSHK6.uc8fntPwVIuLVHgsAhAX7TcdrqW/RADU0uh7CaChLa", "admin.passwordMtime": "2026-08-10T12:00:00Z", "server.secretkey": "signs sessions",
		}})
		require.NoError(t, err)
		_, err = a.client.CoreV1().Secrets(a.namespace).Patch(ctx, "argocd-secret", types.MergePatchType, made, metav1.PatchOptions{})
		require.NoError(t, err)
	}
	workloads := a.workloadIDs(t, a.namespace)
	delete(workloads, "Deployment alone-argocd-dex-server") // this chart has it only if a user enables it
	return workloads
}

// filled returns manifests with the names of the test in them.
func (a alone) filled(text string) string {
	return strings.NewReplacer("NAMESPACE", a.namespace, "IMAGE", standIn).Replace(text)
}

// kept returns what an upgrade must neither replace nor change: the user's objects, and the data of Secrets that the release has not created.
func (a alone) kept(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, object := range documents(t, a.filled(a.chart.before)) {
		if object.GetKind() == "Secret" {
			continue
		}
		existing, err := a.object(t.Context(), strings.ToLower(object.GetKind())+"s", a.namespace, object.GetName())
		require.NoError(t, err)
		found[object.GetKind()+" "+object.GetName()] = string(existing.GetUID())
	}
	secrets, err := a.client.CoreV1().Secrets(a.namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "type=Opaque"})
	require.NoError(t, err)
	for _, secret := range secrets.Items {
		for key, value := range maps.All(secret.Data) {
			found["Secret "+secret.Name+" "+key] = fmt.Sprintf("%s %x", secret.UID, sha256.Sum256(value))
		}
	}
	return found
}
