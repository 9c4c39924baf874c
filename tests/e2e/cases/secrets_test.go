//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/install"
)

// secretsStaySecret checks that the user's token and the runtime's are in no ConfigMap, event or log.
func (e *environment) secretsStaySecret(t *testing.T) {
	token, err := e.secret(t.Context(), install.Namespace, "codefresh-token", "token")
	require.NoError(t, err)
	secrets := map[string]string{"the user's token": install.UserToken, "the runtime's token": token}
	for _, namespace := range []string{install.Namespace, addons.Namespace} {
		texts, err := e.readable(t.Context(), namespace)
		require.NoError(t, err)
		require.NotEmpty(t, texts)
		for where, text := range texts {
			for what, secret := range secrets {
				assert.False(t, strings.Contains(text, secret), "%s is in %s", what, where)
			}
		}
	}
}

// readable returns what users without access to Secrets can read: the texts, by location.
func (e *environment) readable(ctx context.Context, namespace string) (map[string]string, error) {
	texts := map[string]string{}
	maps, err := e.client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, m := range maps.Items {
		texts["the ConfigMap "+m.Name] = fmt.Sprint(m.Data, m.Annotations)
	}
	events, err := e.client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, event := range events.Items {
		texts["the event "+event.Name] = event.Message + fmt.Sprint(event.Annotations)
	}
	pods, err := e.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, pod := range pods.Items {
		texts["the pod "+pod.Name] = pod.String()
		for container, log := range e.logs(ctx, &pod) {
			texts["the log of "+pod.Name+", "+container] = log
		}
	}
	return texts, nil
}

// logs returns the logs of all containers of a pod, by container; "previous" precedes those of a container that was restarted.
func (e *environment) logs(ctx context.Context, pod *corev1.Pod) map[string]string {
	logs := map[string]string{}
	for _, status := range append(append([]corev1.ContainerStatus{}, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...) {
		for _, previous := range []bool{false, true} {
			if previous && status.RestartCount == 0 {
				continue
			}
			name := status.Name
			if previous {
				name = "previous-" + name
			}
			log, err := e.client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Container: status.Name, Previous: previous}).DoRaw(ctx)
			if err == nil { // a container that has not started has none
				logs[name] = string(log)
			}
		}
	}
	return logs
}
