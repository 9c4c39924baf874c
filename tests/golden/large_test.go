package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"gitops-runtime/tests/golden"
)

// values-large.yaml works with every access mode and with high availability, in either order: the same workloads run, and none requests less.
func TestLargeWorksWithEveryMode(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	const large = "values-large.yaml"
	for i, files := range [][]string{
		{"ci/tunnel-values.yaml"}, {"ci/ingress-values.yaml"}, {"ci/gateway-values.yaml"}, {"ci/mesh-values.yaml"}, {"ci/single-namespace-values.yaml"},
		{"ci/openshift-values.yaml"}, {"ci/own-argo-cd-values.yaml"}, {"ci/tunnel-values.yaml", "values-ha.yaml"}, {"ci/tunnel-values.yaml", "values-monitoring.yaml"},
	} {
		t.Run(fmt.Sprint(files), func(t *testing.T) {
			t.Parallel()
			before := workloads(t, loaded, files)
			after := workloads(t, loaded, append(append([]string{}, files...), large))
			if i%4 == 0 {
				assert.Equal(t, after, workloads(t, loaded, append([]string{large}, files...)), "the order of the values files matters")
			}
			require.Len(t, after, len(before))
			more := 0
			for name, was := range before {
				is := after[name]
				assert.GreaterOrEqual(t, is.cpu.Cmp(was.cpu), 0, "CPU of %s", name)
				assert.GreaterOrEqual(t, is.memory.Cmp(was.memory), 0, "memory of %s", name)
				more += is.memory.Cmp(was.memory)
			}
			assert.Positive(t, more)
		})
	}
}

// workloads returns the Deployments and StatefulSets of a case, with the requests of a pod of each.
func workloads(t *testing.T, loaded golden.Chart, files []string) map[string]amount {
	t.Helper()
	documents, err := loaded.Documents(golden.Case{Name: fmt.Sprint(files), Files: files})
	require.NoError(t, err)
	found := map[string]amount{}
	for _, document := range documents {
		if kind := document.Object.GetKind(); kind != "Deployment" && kind != "StatefulSet" {
			continue
		}
		var workload appsv1.Deployment
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(document.Object.Object, &workload))
		found[document.Key()] = requestOf(workload.Spec.Template.Spec)
	}
	require.NotEmpty(t, found)
	return found
}

// docs/scale.md states the requests of a runtime with values-large.yaml.
func TestScalePageHasTheRequestsOfLarge(t *testing.T) {
	t.Parallel()
	loaded, root := chart(t)
	documents, err := loaded.Documents(golden.Case{Name: "large", Files: []string{"ci/tunnel-values.yaml", "values-large.yaml"}})
	require.NoError(t, err)
	all, pods := sum(t, documents)
	page, err := os.ReadFile(filepath.Join(root, "docs", "scale.md"))
	require.NoError(t, err)
	sentence := fmt.Sprintf("With it, %d pods request %s CPU and %s of memory", pods, all.cpu.String(), all.memory.String())
	assert.True(t, strings.Contains(string(page), sentence), "the page does not contain: %s", sentence)
}
