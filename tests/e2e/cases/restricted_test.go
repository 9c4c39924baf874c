//go:build e2e

package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// meetsRestricted checks that the namespace enforces the Pod Security level restricted, and no controller's pod has been rejected there, according to
// its events. A pod without a security context is rejected, so the level is known to be enforced.
func (e *environment) meetsRestricted(t *testing.T, namespace string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := e.client.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "e2e-unrestricted"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "any", Image: "registry.invalid/any"}}},
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.ErrorContains(t, err, `violates PodSecurity "restricted:`)

	events, err := e.client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=FailedCreate"})
	require.NoError(t, err)
	for _, event := range events.Items {
		assert.NotContains(t, event.Message, "violates PodSecurity", "%s/%s", event.InvolvedObject.Kind, event.InvolvedObject.Name)
	}
}
