package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"gitops-runtime/tests/golden"
)

// podSpecs calls do with every pod spec in an object, at any depth, such as in a Deployment, a CronJob or a Rollout.
func podSpecs(t *testing.T, in any, do func(corev1.PodSpec)) {
	t.Helper()
	switch at := in.(type) {
	case map[string]any:
		if containers, is := at["containers"].([]any); is && len(containers) > 0 {
			var spec corev1.PodSpec
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(at, &spec))
			do(spec)
			return
		}
		for _, below := range at {
			podSpecs(t, below, do)
		}
	case []any:
		for _, below := range at {
			podSpecs(t, below, do)
		}
	}
}

// lacking returns the names of containers that request no CPU or no memory, and the number of all containers.
func lacking(t *testing.T, documents []golden.Document) (names []string, all int) {
	t.Helper()
	for _, document := range documents {
		podSpecs(t, document.Object.Object, func(spec corev1.PodSpec) {
			for _, container := range append(spec.InitContainers, spec.Containers...) {
				all++
				requests := container.Resources.Requests
				if requests.Cpu().IsZero() || requests.Memory().IsZero() {
					names = append(names, document.Key()+" "+container.Name)
				}
			}
		})
	}
	return names, all
}

// Every container requests CPU and memory in every case, including init containers, hooks and tests.
func TestEveryContainerRequestsCPUAndMemory(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	for _, of := range golden.Cases() {
		documents, err := loaded.Documents(of)
		require.NoError(t, err)
		names, all := lacking(t, documents)
		assert.Empty(t, names, of.Name)
		assert.Greater(t, all, 5, of.Name)
	}
}

// Resources from values replace the default requests: {} removes them, and limits without requests have none; null removes only the resources
// in values.yaml.
func TestResourcesFromValuesReplaceDefaults(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	none := corev1.ResourceRequirements{}
	for _, test := range []struct {
		values, container string
		want              corev1.ResourceRequirements
	}{
		{"argo-cd: {server: {resources: {}}}", "argo-cd-server server", none},
		{"argo-cd: {server: {resources: null}}", "argo-cd-server server", requested("10m", "96Mi")},
		{
			"argo-cd: {server: {resources: {limits: {memory: 77Mi}}}}", "argo-cd-server server",
			corev1.ResourceRequirements{Limits: corev1.ResourceList{"memory": resource.MustParse("77Mi")}},
		},
		{"internal-router: {resources: null}", "internal-router internal-router", none},
		{"internal-router: {resources: {limits: null}}", "internal-router internal-router", requested("50m", "32Mi")},
		{"argo-cd: {repoServer: {copyutil: {resources: {}}}}", "argo-cd-repo-server copyutil", none},
		{"argo-cd: {repoServer: {copyutil: {resources: {requests: {cpu: 0, memory: 5Mi}}}}}", "argo-cd-repo-server copyutil", requested("0", "5Mi")},
		{"argo-cd: {redisSecretInit: {resources: {}}}", "argo-cd-redis secret-init", none},
		{"redis: {enabled: true, metrics: {resources: {}}}", "runtime-redis metrics", none},
		{"redis: {enabled: true, resources: {}}", "runtime-redis runtime-redis", none},
	} {
		t.Run(test.values, func(t *testing.T) {
			t.Parallel()
			documents, err := loaded.Documents(withValues(t, loaded, test.values))
			require.NoError(t, err)
			got := resourcesOf(t, documents, test.container)
			assert.Equal(t, texts(test.want.Requests), texts(got.Requests))
			assert.Equal(t, texts(test.want.Limits), texts(got.Limits))
		})
	}
}

func requested(cpu, memory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}}
}

func texts(list corev1.ResourceList) map[corev1.ResourceName]string {
	all := map[corev1.ResourceName]string{}
	for name, quantity := range list {
		all[name] = quantity.String()
	}
	return all
}

// withValues returns the base case with additional values, in YAML.
func withValues(t *testing.T, loaded golden.Chart, values string) golden.Case {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, []byte(values+"\n"), 0o600))
	relative, err := filepath.Rel(loaded.Folder(), file)
	require.NoError(t, err)
	return golden.Case{Name: values, Files: []string{"ci/tunnel-values.yaml", relative}}
}

// resourcesOf returns the resources of a container; name is the workload and the container.
func resourcesOf(t *testing.T, documents []golden.Document, name string) corev1.ResourceRequirements {
	t.Helper()
	var found []corev1.ResourceRequirements
	for _, document := range documents {
		podSpecs(t, document.Object.Object, func(spec corev1.PodSpec) {
			for _, container := range append(spec.InitContainers, spec.Containers...) {
				if document.Object.GetName()+" "+container.Name == name {
					found = append(found, container.Resources)
				}
			}
		})
	}
	require.Len(t, found, 1, name)
	return found[0]
}
