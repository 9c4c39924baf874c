//go:build e2e && nightly

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// tiny is a workflow whose pod requests almost nothing: the node runs 110 pods, and the others wait.
var tiny = strings.NewReplacer(
	"metadata: {", "metadata: {labels: {e2e: scale}, ", "imagePullPolicy: Always", "imagePullPolicy: IfNotPresent", "cpu: 10m", "cpu: 1m", "memory: 16Mi", "memory: 4Mi",
).Replace(hello)

// runWorkflows creates many workflows of one pod at once, and waits until all have succeeded.
func (s *scale) runWorkflows(t *testing.T, count int) {
	require.NotEqual(t, hello, tiny)
	workflows := s.objects.Resource(argo("workflows")).Namespace(install.Namespace)
	begun := time.Now()
	forEach(t, 0, count, func(ctx context.Context, i int) error {
		text := strings.NewReplacer("NAMESPACE", install.Namespace, "NAME", fmt.Sprintf("e2e-scale-%03d", i), "ACCOUNT", "argo-workflow", "IMAGE", standIn).Replace(tiny)
		_, err := workflows.Create(ctx, documents(t, text)[0], metav1.CreateOptions{})
		return err
	})
	var half time.Duration
	s.until(t, "all workflows have succeeded", 15*time.Minute, func(ctx context.Context) error {
		list, err := workflows.List(ctx, scaled)
		if err != nil {
			return err
		}
		phases := map[string]int{}
		for i := range list.Items {
			phases[field(&list.Items[i], "status", "phase")]++
		}
		require.Zero(t, phases["Failed"]+phases["Error"], "%v", phases)
		if 2*phases["Succeeded"] >= count && half == 0 {
			half = time.Since(begun)
		}
		if phases["Succeeded"] < count {
			return fmt.Errorf("of %d: %v", count, phases)
		}
		return nil
	})
	t.Logf("of %d workflows half had succeeded after %.0f s, all after %.0f s; the controller held back requests to the API server for more than a second %d times",
		count, half.Seconds(), time.Since(begun).Seconds(), s.throttled(t, begun))
	require.NoError(t, workflows.DeleteCollection(t.Context(), metav1.DeleteOptions{}, scaled))
}

// throttled counts the requests that the workflow controller's limit (--qps) has delayed since a time, as client-go logs them: from a second on.
func (s *scale) throttled(t *testing.T, since time.Time) int {
	t.Helper()
	pods, err := s.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=workflow-controller"})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	count, from := 0, metav1.NewTime(since)
	for _, pod := range pods.Items {
		log, err := s.client.CoreV1().Pods(install.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{SinceTime: &from}).DoRaw(t.Context())
		require.NoError(t, err)
		count += bytes.Count(log, []byte("client-side throttling"))
	}
	return count
}
