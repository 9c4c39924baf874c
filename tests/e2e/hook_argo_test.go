//go:build e2e

package e2e_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/runtime"
	"gitops-runtime/tests/standin/manifests"
)

const refusedSync = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: e2e-refused-sync, namespace: codefresh}
spec:
  project: default
  source: {repoURL: http://git-server.platform.svc.cluster.local/apps.git, path: refused, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: e2e-refused-sync}
  syncPolicy:
    automated: {}`

// refusedSync: in Argo CD the hook runs before the sync, which fails with it; the Job tells why, and nothing else of the hook is left.
func (e *environment) refusedSync(t *testing.T) {
	const namespace, file = "e2e-refused-sync", "test/apps.git/refused/hook.yaml"
	e.namespace(t, namespace)
	args := []string{"template", "refused", filepath.Join(e.local.Root, "charts", "gitops-runtime"), "-n", namespace, "-s", "templates/hooks/validate-values.yaml"}
	for _, values := range e.ready.ValueFiles {
		args = append(args, "-f", values)
	}
	// in one namespace, so that the runtime which is there is no finding
	args = append(args, "--set", "global.codefresh.userToken.token=revoked", "--set", "global.runtime.singleNamespace=true")
	rendered, err := exec.CommandContext(t.Context(), e.older("3.18").Path, args...).Output()
	require.NoError(t, err)
	git := func(ctx context.Context, verb string) error {
		return e.client.CoreV1().RESTClient().Verb(verb).Namespace(manifests.Namespace).Resource("services").Name("http:git-server:80").
			SubResource("proxy").Suffix(file).Body(rendered).Do(ctx).Error()
	}
	require.NoError(t, git(t.Context(), "PUT"))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		assert.NoError(t, git(ctx, "DELETE"))
	})
	e.applyHere(t, refusedSync)
	eventually(t, "the sync has failed", 2*time.Minute, e.has("applications", runtime.Namespace, namespace, map[string]string{"status.operationState.phase": "Failed"}))
	application, err := e.object(t.Context(), "applications", runtime.Namespace, namespace)
	require.NoError(t, err)
	t.Logf("Argo CD says: %s", field(application, "status", "operationState", "message"))
	e.saysWhy(t, namespace, refusals()[0].code, refusals()[0].says)
	e.leftAfterRefusal(t, namespace, "jobs/validate-values", "pods/validate-values-")
}
