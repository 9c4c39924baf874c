//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/install"
)

// scale waits until a Deployment has this many pods, all ready.
func (e *environment) scale(t *testing.T, namespace, name string, count int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	deployments := e.client.AppsV1().Deployments(namespace)
	_, err := deployments.UpdateScale(ctx, name, &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: count},
	}, metav1.UpdateOptions{})
	require.NoError(t, err)
	eventually(t, fmt.Sprintf("%s has %d pods", name, count), 2*time.Minute, func(ctx context.Context) error {
		deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s := deployment.Status; s.ObservedGeneration < deployment.Generation || s.Replicas != count || s.ReadyReplicas != count {
			return fmt.Errorf("%d pods, %d of them ready", s.Replicas, s.ReadyReplicas)
		}
		return nil
	})
}

// restart replaces the pods of one of the runtime's Deployments, as `kubectl rollout restart` does, and waits until only new
// ones are left.
func (e *environment) restart(ctx context.Context, name string, timeout time.Duration) error {
	deployments := e.client.AppsV1().Deployments(install.Namespace)
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"e2e/restarted":%q}}}}}`, time.Now().Format(time.RFC3339Nano))
	if _, err := deployments.Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("%s is not replaced after %s: %w", name, timeout, err)
		}
		if s := deployment.Status; s.ObservedGeneration >= deployment.Generation && s.UpdatedReplicas == s.Replicas && s.AvailableReplicas == *deployment.Spec.Replicas {
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// pods returns the running pods of the runtime's namespace with a label, or all if it is empty: name and UID, and how often they were restarted.
func (e *environment) pods(t *testing.T, selector string) map[string]string {
	t.Helper()
	return e.podsIn(t, install.Namespace, selector)
}

// podsIn is pods for any namespace.
func (e *environment) podsIn(t *testing.T, namespace, selector string) map[string]string {
	t.Helper()
	list, err := e.client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: selector, FieldSelector: "status.phase=Running"})
	require.NoError(t, err)
	found := map[string]string{}
	for _, pod := range list.Items {
		found[pod.Name] = fmt.Sprintf("%s, %d restarts", pod.UID, restarts(pod))
	}
	return found
}

// restarts counts how often the containers of a pod were restarted.
func restarts(pod corev1.Pod) int32 {
	count := int32(0)
	for _, container := range pod.Status.ContainerStatuses {
		count += container.RestartCount
	}
	return count
}

// allReady returns an error that names a workload of the runtime without all ready pods.
func (e *environment) allReady(ctx context.Context) error {
	deployments, err := e.client.AppsV1().Deployments(install.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, deployment := range deployments.Items {
		if deployment.Status.ReadyReplicas < *deployment.Spec.Replicas {
			return fmt.Errorf("%s has %d ready pods of %d", deployment.Name, deployment.Status.ReadyReplicas, *deployment.Spec.Replicas)
		}
	}
	sets, err := e.client.AppsV1().StatefulSets(install.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, set := range sets.Items {
		if set.Status.ReadyReplicas < *set.Spec.Replicas {
			return fmt.Errorf("%s has %d ready pods of %d", set.Name, set.Status.ReadyReplicas, *set.Spec.Replicas)
		}
	}
	return nil
}
