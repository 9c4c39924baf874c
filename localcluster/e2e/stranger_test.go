//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/localcluster/images"
	"gitops-runtime/localcluster/install"
)

// stranger is a pod that has nothing to do with the runtime, and a shell to dial with.
const stranger = `apiVersion: v1
kind: Pod
metadata: {name: stranger, namespace: e2e-stranger}
spec:
  terminationGracePeriodSeconds: 0
  securityContext: {runAsNonRoot: true, runAsUser: 999, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: stranger
    image: IMAGE
    command: [sleep, infinity]
    resources: {requests: {cpu: 10m, memory: 16Mi}}
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}`

// dial tries every HOST:PORT at the same time, each for three seconds, and prints those that take a connection.
const dial = `for target in "$@"; do
  (timeout 3 bash -c "exec 3<>/dev/tcp/${target%:*}/${target#*:}" 2>/dev/null && echo "$target") &
done
wait`

// strangersReach are the Services of the runtime that a mode opens to other namespaces: without a tunnel, whatever is in front of
// internal-router is in one of them.
func strangersReach(mode images.Mode) []string {
	if mode == images.Tunnel {
		return nil
	}
	return []string{"internal-router.codefresh:80"}
}

// closedToStrangers: of all Services of the runtime, a pod of another namespace reaches only those that the page for security readers
// opens: Argo CD's own server and webhooks, and metrics. With a tunnel, internal-router is not among them. What no policy is about,
// it does reach, so that its dialing is known to work. Its image is that of Redis, which has a shell.
func (e *environment) closedToStrangers(t *testing.T, open ...string) {
	pods, err := e.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name in (argocd-redis, argocd-redis-ha-haproxy)"})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	e.namespace(t, "e2e-stranger")
	e.applyHere(t, strings.ReplaceAll(stranger, "IMAGE", pods.Items[0].Spec.Containers[0].Image))
	eventually(t, "the stranger runs", time.Minute, func(ctx context.Context) error {
		pod, err := e.client.CoreV1().Pods("e2e-stranger").Get(ctx, "stranger", metav1.GetOptions{})
		if err == nil && pod.Status.Phase != corev1.PodRunning {
			err = fmt.Errorf("it is %s", pod.Status.Phase)
		}
		return err
	})
	services, err := e.client.CoreV1().Services(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	targets := []string{"git-server.platform:80"}
	for _, service := range services.Items {
		if strings.Contains(service.Name, "e2e-hook") {
			continue // an EventBus and an EventSource of a user, whose policies are the user's
		}
		for _, port := range service.Spec.Ports {
			targets = append(targets, fmt.Sprintf("%s.%s:%d", service.Name, service.Namespace, port.Port))
		}
	}
	require.Greater(t, len(targets), 10)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, e.local.Kubectl.Path, append([]string{
		"--kubeconfig", e.local.Kubectl.Kubeconfig, "exec", "--namespace", "e2e-stranger", "stranger", "--", "bash", "-c", dial, "dial",
	}, targets...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	reached := strings.Fields(string(out))
	slices.Sort(reached)
	want := append([]string{
		"argo-cd-applicationset-controller.codefresh:7000", // webhooks of Git servers
		"argo-cd-server.codefresh:443", "argo-cd-server.codefresh:80",
		"git-server.platform:80",
	}, open...)
	slices.Sort(want)
	require.Equal(t, want, reached)
	t.Logf("%d of %d targets answer a stranger", len(reached), len(targets))
}
