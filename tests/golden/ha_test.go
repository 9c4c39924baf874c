package golden_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/tests/golden"
)

// leaves are the paths of the values in a tree, lists as one value.
func leaves(tree map[string]any, path []string) [][]string {
	var all [][]string
	for key, value := range tree {
		here := append(append([]string{}, path...), key)
		if below, is := value.(map[string]any); is && len(below) > 0 {
			all = append(all, leaves(below, here)...)
			continue
		}
		all = append(all, here)
	}
	return all
}

// without is a copy of a tree that lacks one path.
func without(tree map[string]any, path []string) map[string]any {
	copied := map[string]any{}
	for key, value := range tree {
		var rest []string
		if len(path) > 0 && key == path[0] {
			if rest = path[1:]; len(rest) == 0 {
				continue
			}
		}
		if below, is := value.(map[string]any); is {
			value = without(below, rest)
		}
		copied[key] = value
	}
	return copied
}

// No key of values-ha.yaml is dead: without it the chart renders something else, or refuses.
func TestEveryKeyOfHighAvailabilityCounts(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	text, err := os.ReadFile(filepath.Join(loaded.Folder(), "values-ha.yaml"))
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, yaml.UnmarshalStrict(text, &values))
	tunnel, err := chartutil.ReadValuesFile(filepath.Join(loaded.Folder(), "ci", "tunnel-values.yaml"))
	require.NoError(t, err)
	chart, err := helmchart.Load(t.Context(), helmchart.Source{Name: loaded.Folder()})
	require.NoError(t, err)
	renderer, err := chartrender.NewRenderer(chart, chartrender.Settings{})
	require.NoError(t, err)
	rendered := func(values map[string]any) ([]chartrender.Document, error) {
		output, err := renderer.Render(t.Context(), chartutil.MergeTables(without(values, nil), tunnel))
		return output.Documents, err
	}
	whole, err := rendered(values)
	require.NoError(t, err)
	paths := leaves(values, nil)
	assert.Greater(t, len(paths), 30)
	for _, path := range paths {
		less, err := rendered(without(values, path))
		assert.False(t, err == nil && slices.Equal(whole, less), "%s changes nothing", strings.Join(path, "."))
	}
	again, err := rendered(values)
	require.NoError(t, err)
	assert.Equal(t, whole, again)
}

// single are the workloads that stay one with high availability, and why.
func single() map[string]string {
	return map[string]string{
		"codefresh-tunnel-client":          "two would ask for the same tunnel",
		"argo-cd-notifications-controller": "it has no leader: two would notify twice",
		"sealed-secrets-controller":        "it has no leader, and SealedSecrets wait while it is away",
	}
}

// With values-ha.yaml every workload has at least two pods, asks softly to be spread, and loses one at a time to drains.
func TestHighAvailability(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	documents, err := loaded.Documents(golden.Case{Name: "ha", Files: []string{"ci/tunnel-values.yaml", "values-ha.yaml"}})
	require.NoError(t, err)
	least, budget := map[string]int64{}, map[string]bool{}
	for _, document := range documents {
		object := document.Object
		switch object.GetKind() {
		case "HorizontalPodAutoscaler":
			spec, _ := object.Object["spec"].(map[string]any)
			least[object.GetName()], _ = spec["minReplicas"].(int64)
			if number, is := spec["minReplicas"].(float64); is {
				least[object.GetName()] = int64(number)
			}
		case "PodDisruptionBudget":
			budget[object.GetName()] = true
		}
	}
	seen := 0
	for _, document := range documents {
		object := document.Object
		if kind := object.GetKind(); kind != "Deployment" && kind != "StatefulSet" {
			continue
		}
		var workload appsv1.Deployment
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &workload))
		name := object.GetName()
		for _, constraint := range workload.Spec.Template.Spec.TopologySpreadConstraints {
			assert.Equal(t, corev1.ScheduleAnyway, constraint.WhenUnsatisfiable, name)
			assert.NotNil(t, constraint.LabelSelector, name)
		}
		assert.Len(t, workload.Spec.Template.Spec.TopologySpreadConstraints, 2, name)
		if affinity := workload.Spec.Template.Spec.Affinity; affinity != nil && affinity.PodAntiAffinity != nil {
			assert.Empty(t, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, "%s: one node is enough to try it", name)
		}
		if single()[name] != "" {
			continue
		}
		seen++
		if workload.Spec.Replicas != nil {
			least[name] = int64(*workload.Spec.Replicas)
		}
		assert.GreaterOrEqual(t, least[name], int64(2), name)
		assert.True(t, budget[name], "%s has no PodDisruptionBudget", name)
	}
	assert.Greater(t, seen, 8)
}
