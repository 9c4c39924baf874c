package cost

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubelet/pkg/apis/stats/v1alpha1"
)

// reported returns the report of a kubelet about one container, seconds after the first report.
func reported(namespace, pod, container string, seconds int, cpu time.Duration, memory uint64) v1alpha1.Summary {
	used := uint64(cpu)
	at := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, seconds, 0, time.UTC))
	return v1alpha1.Summary{Pods: []v1alpha1.PodStats{{
		PodRef: v1alpha1.PodReference{Namespace: namespace, Name: pod},
		Containers: []v1alpha1.ContainerStats{{
			Name:   container,
			CPU:    &v1alpha1.CPUStats{Time: at, UsageCoreNanoSeconds: &used},
			Memory: &v1alpha1.MemoryStats{Time: at, WorkingSetBytes: &memory},
		}},
	}}}
}

// pod returns a running pod of a Deployment's ReplicaSet.
func pod(name, of, container string, requests corev1.ResourceList) corev1.Pod {
	yes := true
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "codefresh", Labels: map[string]string{"pod-template-hash": "abc"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: of + "-abc", Controller: &yes}},
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: container, Resources: corev1.ResourceRequirements{Requests: requests}}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

func TestUsages(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
	ended := pod("job-1", "job", "job", nil)
	ended.Status.Phase = corev1.PodSucceeded
	pods := []corev1.Pod{pod("server-abc-1", "server", "main", requests), pod("server-abc-2", "server", "main", requests), pod("cache-abc-1", "cache", "cache", nil), ended}
	seen := map[id][]sample{}
	for _, summary := range []v1alpha1.Summary{
		reported("codefresh", "server-abc-1", "main", 0, time.Second, 40*mib),
		reported("codefresh", "server-abc-1", "main", 0, time.Second, 40*mib), // the same again
		reported("codefresh", "server-abc-1", "main", 10, 1100*time.Millisecond, 48*mib),
		reported("codefresh", "server-abc-2", "main", 0, 0, 1),
		reported("codefresh", "server-abc-2", "main", 20, 50*time.Millisecond, mib+1),
		reported("codefresh", "cache-abc-1", "cache", 0, 0, mib),
		reported("codefresh", "cache-abc-1", "cache", 10, time.Millisecond, mib),
		reported("elsewhere", "server-abc-1", "main", 20, time.Hour, 1<<40),
	} {
		add(seen, summary, "codefresh")
	}
	got, err := usages(pods, seen)
	require.NoError(t, err)
	assert.Equal(t, []Usage{
		{Workload: "cache", Container: "cache", Pods: 1, CPU: 0.1, Memory: mib},
		{Workload: "server", Container: "main", Pods: 2, CPU: 10, Memory: 48 * mib, Requests: requests},
	}, got)

	var table strings.Builder
	require.NoError(t, Write(&table, got))
	assert.Equal(t, `| workload | container | pods | idle CPU | idle memory | CPU request | memory request |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
| cache | cache | 1 | 1m | 1Mi | none | none |
| server | main | 2 | 10m | 48Mi | 10m | 64Mi |
| all | | 3 | 21m | 97Mi | 20m | 128Mi |
`, table.String())
}

// A container with fewer than two samples has no average, so the table would lack it.
func TestUsagesAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[id][]sample{}
	add(seen, reported("codefresh", "server-abc-1", "main", 0, 0, 1), "codefresh")
	_, err := usages([]corev1.Pod{pod("server-abc-1", "server", "main", nil)}, seen)
	assert.EqualError(t, err, "the container main of the pod server-abc-1 was reported 1 times: measure for longer, when all pods are ready")
}

// The CPU time of a restarted container begins at zero again.
func TestUsageAfterARestart(t *testing.T) {
	t.Parallel()
	seen := map[id][]sample{}
	for i, cpu := range []time.Duration{10 * time.Second, 11 * time.Second, 3 * time.Second} {
		add(seen, reported("codefresh", "server-abc-1", "main", 10*i, cpu, 1), "codefresh")
	}
	got, err := usages([]corev1.Pod{pod("server-abc-1", "server", "main", nil)}, seen)
	require.NoError(t, err)
	assert.Equal(t, []Usage{{Workload: "server", Container: "main", Pods: 1, CPU: 200, Memory: 1}}, got)
}
