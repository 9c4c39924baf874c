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

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// unrelated is a pod that is not related to the runtime, with a shell.
var unrelated = objects("unrelated")

// dial tries every HOST:PORT at the same time, each for three seconds, and prints those that accept a connection.
const dial = `for target in "$@"; do
  (timeout 3 bash -c "exec 3<>/dev/tcp/${target%:*}/${target#*:}" 2>/dev/null && echo "$target") &
done
wait`

// openToOthers returns the Services of the runtime that a mode opens to other namespaces: without a tunnel, the proxy in front of internal-router
// is in one of them.
func openToOthers(mode images.Mode) []string {
	if mode == images.Tunnel {
		return nil
	}
	return []string{"internal-router.codefresh:80"}
}

// closedToOthers checks that a pod of another namespace reaches only those Services of the runtime that the security page lists as open: Argo CD's
// server and webhooks, sealed-secrets, and metrics; with the restricted preset, not Argo CD's server. With a tunnel, internal-router is not among them.
// It does reach what no policy applies to, which proves that its connections work. Its image is that of Redis, which has a shell.
func (e *environment) closedToOthers(t *testing.T, open ...string) {
	pods, err := e.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name in (argocd-redis, argocd-redis-ha-haproxy)"})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	e.namespace(t, "e2e-unrelated")
	e.applyHere(t, strings.ReplaceAll(unrelated, "IMAGE", pods.Items[0].Spec.Containers[0].Image))
	eventually(t, "the unrelated pod runs", time.Minute, func(ctx context.Context) error {
		pod, err := e.client.CoreV1().Pods("e2e-unrelated").Get(ctx, "unrelated", metav1.GetOptions{})
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
		"--kubeconfig", e.local.Kubectl.Kubeconfig, "exec", "--namespace", "e2e-unrelated", "unrelated", "--", "bash", "-c", dial, "dial",
	}, targets...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	reached := strings.Fields(string(out))
	slices.Sort(reached)
	want := append([]string{
		"argo-cd-applicationset-controller.codefresh:7000", // webhooks of Git servers
		"git-server.platform:80",
		"sealed-secrets-controller-metrics.codefresh:8081", "sealed-secrets-controller.codefresh:8080", // kubeseal, through the API server
	}, open...)
	if !e.local.Restricted { // whose neighbors close it
		want = append(want, "argo-cd-server.codefresh:443", "argo-cd-server.codefresh:80")
	}
	slices.Sort(want)
	require.Equal(t, want, reached)
	t.Logf("%d of %d targets are open to a pod of another namespace", len(reached), len(targets))
}
