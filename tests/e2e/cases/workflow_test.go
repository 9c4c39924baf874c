//go:build e2e

package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/e2e/install"
)

// hello is a Workflow, in NAMESPACE, that outputs a greeting.
var hello = objects("hello")

// workflow checks that Argo Workflows runs a pod and returns its output, with the service account of image enrichment, too, and the platform gets
// events of the Workflow.
func (e *environment) workflow(t *testing.T) {
	require.Equal(t, "hello from e2e-hello", e.greeting(t, install.Namespace, "e2e-hello", "argo-workflow"))
	require.Equal(t, "hello from e2e-enrichment", e.greeting(t, install.Namespace, "e2e-enrichment", "codefresh-image-enrichment-sa"))
	e.platform(t).getsEvent(t, "Workflow", install.Namespace, "e2e-hello")
}

// greeting runs a workflow with a service account, waits until it has succeeded, and returns its output.
func (e *environment) greeting(t *testing.T, namespace, name, account string) any {
	t.Helper()
	e.applyHere(t, strings.NewReplacer("NAMESPACE", namespace, "NAME", name, "ACCOUNT", account, "IMAGE", standIn).Replace(hello))
	eventually(t, "the workflow has succeeded", 3*time.Minute, e.has("workflows", namespace, name, map[string]string{"status.phase": "Succeeded"}))
	done, err := e.object(t.Context(), "workflows", namespace, name)
	require.NoError(t, err)
	nodes, _, err := unstructured.NestedMap(done.Object, "status", "nodes")
	require.NoError(t, err)
	node, _ := nodes[name].(map[string]any)
	outputs, _, err := unstructured.NestedSlice(node, "outputs", "parameters")
	require.NoError(t, err)
	require.Len(t, outputs, 1)
	greeting, _ := outputs[0].(map[string]any)
	return greeting["value"]
}
