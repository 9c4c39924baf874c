//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// kubectlOut returns what kubectl prints.
func (e *environment) kubectlOut(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), e.local.Kubectl.Path, append([]string{"--kubeconfig", e.local.Kubectl.Kubeconfig}, arguments...)...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		require.NoError(t, err, string(failed.Stderr))
	}
	require.NoError(t, err)
	return string(out)
}

// refusedBy checks a rejected install with a version of Helm. The oldest, like programs that contain Helm such as Terraform's provider, prints only
// that the Job failed; newer versions also print the reason, which is in the Job's log and the Event.
func (e *environment) refusedBy(t *testing.T, version string) {
	namespace := "e2e-helm-" + strings.ReplaceAll(version, ".", "-")
	e.namespace(t, namespace)
	wrong := refusals()[0]
	helm := e.by(version).local.Helm
	out := e.attempt(t, helm, install.Upgrade{Namespace: namespace, Sets: wrong.sets})
	if version == oldestHelm {
		assert.Contains(t, out, "failed: PodFailurePolicy")
	} else {
		out = strings.ReplaceAll(out, `\n`, "\n") // Helm 4 prints the log as a field of a single line
		assert.Contains(t, out, wrong.code+"  "+wrong.message+"\n")
	}
	e.leftAfterRefusal(t, namespace, "secrets/sh.helm.release.v1.refused.", "jobs/validate-values", "pods/validate-values-")
	e.reportsReason(t, namespace, wrong.code, wrong.message)
	if version != oldestHelm {
		return
	}
	// again, over the leftovers
	again := e.attempt(t, helm, install.Upgrade{Namespace: namespace, Sets: wrong.sets})
	assert.Contains(t, again, "PodFailurePolicy")
	e.leftAfterRefusal(t, namespace, "secrets/sh.helm.release.v1.refused.", "jobs/validate-values", "pods/validate-values-")
}

// imageAbsent checks that events report why a hook does not start, which Helm cannot, and that a release that has not registered anything is
// removed without any image.
func (e *environment) imageAbsent(t *testing.T, namespace, message string) {
	e.namespace(t, namespace)
	out := e.attempt(t, e.local.Helm, install.Upgrade{Namespace: namespace, Sets: []string{"installer.image.tag=absent"}, Args: []string{"--timeout", "15s"}})
	assert.Contains(t, out, message)
	assert.Contains(t, e.kubectlOut(t, "get", "events", "-n", namespace, "--field-selector", "reason=Failed"), "ErrImagePull")

	require.Error(t, e.local.Helm.Uninstall(t.Context(), "refused", namespace, 10*time.Second, t.Output()))
	begun := time.Now()
	require.NoError(t, e.local.Helm.Uninstall(t.Context(), "refused", namespace, time.Minute, t.Output(), "--no-hooks"))
	assert.Less(t, time.Since(begun), 30*time.Second) // the hook would wait for its image
	e.leftAfterRefusal(t, namespace, "jobs/validate-values", "pods/validate-values-")
}

// refusedAndTakenBack checks that a rejected install that Helm rolls back does not deregister another runtime with the requested name.
func (e *environment) refusedAndTakenBack(t *testing.T) {
	const namespace = "e2e-taken-back"
	e.namespace(t, namespace)
	out := e.attempt(t, e.local.Helm, install.Upgrade{
		Namespace: namespace, Sets: []string{"global.runtime.name=taken"}, Args: []string{"--atomic"},
		Timeout: 3 * time.Minute, // two uninstall hooks follow
	})
	assert.Contains(t, out, "RUN201  The account \"account-one\" already has a runtime \"taken\" (namespace elsewhere).\n")
	assert.Contains(t, out, "this release has registered no runtime: there is no Secret codefresh-token\n")
	assert.Contains(t, e.platform(t).runtimes(t), "taken")
	e.leftAfterRefusal(t, namespace, "jobs/validate-values", "pods/validate-values-")
}

// dryRun checks that a dry run requests and creates nothing, but reports errors that the values alone reveal. The token is only in Secrets: Helm
// shows those of hooks even with --hide-secret.
func (e *environment) dryRun(t *testing.T) {
	const namespace = "e2e-dry-run"
	e.namespace(t, namespace)
	for _, mode := range []string{"client", "server"} {
		var out strings.Builder
		upgrade := install.Upgrade{
			Release: "refused", Chart: filepath.Join(e.local.Root, "charts", "gitops-runtime"), Namespace: namespace,
			ValueFiles: e.ready.ValueFiles, Timeout: time.Minute, Args: []string{"--dry-run=" + mode, "--hide-secret"},
		}
		upgrade.Sets = []string{"global.codefresh.userToken.token=revoked"}
		require.NoError(t, e.local.Helm.Upgrade(t.Context(), upgrade, &out), out.String())
		for document := range strings.SplitSeq(out.String(), "\n---\n") {
			if !strings.Contains(document, "\nkind: Secret\n") {
				assert.NotContains(t, document, "revoked")
				assert.NotRegexp(t, "cmV2b2tlZ|Jldm9rZW|yZXZva2Vk", document, "the token, in Base64")
			}
		}
		upgrade.Sets = []string{"global.codefresh.accountId="}
		require.Error(t, e.local.Helm.Upgrade(t.Context(), upgrade, &out))
		assert.Contains(t, out.String(), "MOD201: Tunnel access needs global.codefresh.accountId.\n")
	}
	e.leftAfterRefusal(t, namespace)
}

// interrupted checks that a hook that is asked to stop reports its findings so far.
func (e *environment) interrupted(t *testing.T) {
	const namespace = "e2e-interrupted"
	e.namespace(t, namespace)
	ended := make(chan error, 1)
	go func() {
		_, err := e.tryInstall(t.Context(), e.local.Helm, install.Upgrade{Namespace: namespace, Sets: []string{"global.runtime.name=interrupted"}})
		ended <- err
	}()
	pod := e.hookRuns(t, namespace)
	stream, err := e.client.CoreV1().Pods(namespace).GetLogs(pod, &corev1.PodLogOptions{Follow: true}).Stream(t.Context())
	require.NoError(t, err)
	defer stream.Close()
	begun := time.Now()
	require.NoError(t, e.client.CoreV1().Pods(namespace).Delete(t.Context(), pod, metav1.DeleteOptions{}))
	log, err := io.ReadAll(stream)
	require.NoError(t, err)
	t.Logf("ended %.1f s after it was asked to", time.Since(begun).Seconds())
	assert.Contains(t, string(log), "ok       RUN100  The runtime has a well-formed name\n")
	assert.Contains(t, string(log), "Unknown: the run was interrupted.\n")
	require.NoError(t, <-ended)
	e.leftAfterRefusal(t, namespace, "secrets/sh.helm.release.v1.refused.", "jobs/validate-values")
}

// hookRuns waits until the hook's container runs in a namespace, and returns its pod.
func (e *environment) hookRuns(t *testing.T, namespace string) string {
	t.Helper()
	var name string
	eventually(t, "the hook runs", time.Minute, func(ctx context.Context) error {
		pods, err := e.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "job-name=validate-values"})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if name = pod.Name; pod.Status.Phase == corev1.PodRunning {
				return nil
			}
		}
		return fmt.Errorf("none of %d pods runs", len(pods.Items))
	})
	return name
}
