//go:build e2e

package e2e_test

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/e2e/addons"
)

// refusedApplication is a runtime that is synced only once, not repeatedly like an automated one.
var refusedApplication = objects("refused-application")

// refusedSync checks that Argo CD runs the checks before the sync, which fails if they fail. The Job reports which pod failed, and why; nothing
// else of the runtime exists.
func (a alone) refusedSync(t *testing.T) {
	const namespace = "e2e-refused-sync"
	a.environment.namespace(t, namespace)
	a.commit(t, "refused/runtime.yaml", a.rendered(t, namespace, "global.codefresh.userToken.token=revoked", "global.runtime.singleNamespace=true"))
	a.applyHere(t, strings.ReplaceAll(refusedApplication, "NAMESPACE", a.namespace))
	eventually(t, "the sync has failed", 2*time.Minute, a.has("applications", a.namespace, namespace, map[string]string{"status.operationState.phase": "Failed"}))
	synced, err := a.object(t.Context(), "applications", a.namespace, namespace)
	require.NoError(t, err)
	t.Logf("Argo CD reports: %s", field(synced, "status", "operationState", "message"))
	results, _, err := unstructured.NestedSlice(synced.Object, "status", "operationState", "syncResult", "resources")
	require.NoError(t, err)
	message := ""
	for _, one := range results {
		result, _ := one.(map[string]any)
		assert.Equal(t, "PreSync", result["hookType"], "%v %v was synced: %v", result["kind"], result["name"], result["message"])
		if result["kind"] == "Job" {
			message, _ = result["message"].(string)
		}
	}
	assert.Regexp(t, `^Container validate-values for pod e2e-refused-sync/validate-values-\w+ failed with exit code 3 `, message)
	a.reportsReason(t, namespace, refusals()[0].code, refusals()[0].message)
	a.leftAfterRefusal(t, namespace, "jobs/validate-values", "pods/validate-values-")
}

// rendered returns the runtime as Helm renders it for tunnel mode, without what needs Argo's definitions.
func (e *environment) rendered(t *testing.T, namespace string, sets ...string) []byte {
	t.Helper()
	args := []string{"template", "refused", filepath.Join(e.local.Root, "charts", "gitops-runtime"), "--namespace", namespace}
	for _, values := range e.ready.ValueFiles {
		args = append(args, "-f", values)
	}
	for _, set := range sets {
		args = append(args, "--set", set)
	}
	text, err := exec.CommandContext(t.Context(), e.local.Helm.Path, args...).Output()
	require.NoError(t, err)
	var kept []string
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		if !strings.Contains(document, "\napiVersion: argoproj.io/") && !strings.Contains(document, "\nkind: CustomResourceDefinition\n") {
			kept = append(kept, document)
		}
	}
	return []byte(strings.Join(kept, "\n---\n"))
}

// commit puts a file into the repository of the Git server until the test ends.
func (e *environment) commit(t *testing.T, path string, content []byte) {
	t.Helper()
	require.NoError(t, e.file(t.Context(), http.MethodPut, path, content))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		assert.NoError(t, e.file(ctx, http.MethodDelete, path, nil))
	})
}

// file puts a file into the repository of the Git server, or deletes it.
func (e *environment) file(ctx context.Context, method, path string, content []byte) error {
	return e.client.CoreV1().RESTClient().Verb(method).Namespace(addons.Namespace).Resource("services").Name("http:git-server:80").
		SubResource("proxy").Suffix("test/apps.git/" + path).Body(content).Do(ctx).Error()
}
