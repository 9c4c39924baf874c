package golden_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"gitops-runtime/tests/golden"
)

// single returns the workloads that keep one replica with high availability, with the reasons.
func single() map[string]string {
	return map[string]string{
		"codefresh-tunnel-client":          "two replicas would request the same tunnel",
		"argo-cd-notifications-controller": "without leader election two replicas would notify twice",
		"sealed-secrets-controller":        "it has no leader election; SealedSecrets wait while it is unavailable",
	}
}

// With values-ha.yaml every workload has at least two replicas, soft topology spread constraints and a PodDisruptionBudget.
func TestHighAvailability(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	documents, err := loaded.Documents(golden.Case{Name: "ha", Files: []string{"ci/tunnel-values.yaml", "values-ha.yaml"}})
	require.NoError(t, err)
	minimum, budget := map[string]int64{}, map[string]bool{}
	for _, document := range documents {
		object := document.Object
		switch object.GetKind() {
		case "HorizontalPodAutoscaler":
			spec, _ := object.Object["spec"].(map[string]any)
			minimum[object.GetName()], _ = spec["minReplicas"].(int64)
			if number, is := spec["minReplicas"].(float64); is {
				minimum[object.GetName()] = int64(number)
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
			assert.Empty(t, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, "%s: must be schedulable on one node", name)
		}
		if single()[name] != "" {
			continue
		}
		seen++
		if workload.Spec.Replicas != nil {
			minimum[name] = int64(*workload.Spec.Replicas)
		}
		assert.GreaterOrEqual(t, minimum[name], int64(2), name)
		assert.True(t, budget[name], "%s has no PodDisruptionBudget", name)
	}
	assert.Greater(t, seen, 8)
}
