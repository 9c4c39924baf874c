//go:build e2e

package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

type refusal struct {
	name string
	sets []string
	// code and message are those of the finding in Helm's output.
	code, message string
	// rendered means that the render itself fails: there is no hook and no release.
	rendered bool
}

func refusals() []refusal {
	return []refusal{
		{name: "bad-token", code: "ACC101", message: "The platform platform.platform.svc.cluster.local rejects the user token (HTTP 401 Unauthorized).", sets: []string{"global.codefresh.userToken.token=revoked"}},
		{name: "taken-name", code: "RUN201", message: "The account \"account-one\" already has a runtime \"taken\" (namespace elsewhere).", sets: []string{"global.runtime.name=taken"}},
		{name: "absent-secret", code: "TOK104", message: "The Secret \"absent\" with the user token does not exist in namespace e2e-absent-secret.", sets: []string{
			"global.codefresh.userToken.token=", "global.codefresh.userToken.secretKeyRef.name=absent", "global.codefresh.userToken.secretKeyRef.key=token",
		}},
		{name: "no-account", rendered: true, code: "MOD201", message: "Tunnel access needs global.codefresh.accountId.", sets: []string{"global.codefresh.accountId="}},
		{name: "no-host", rendered: true, code: "MOD301", message: "Ingress access needs at least one host.", sets: []string{"global.runtime.ingress.enabled=true"}},
	}
}

// refused checks that invalid values are rejected within a minute, with Helm's own message, and nothing of the runtime is left; with every version
// of Helm, and every command.
func (e *environment) refused(t *testing.T) {
	// every response is delayed, so that there is time to inspect a running hook
	slow := e.platform(t)
	t.Cleanup(func() { slow.clearFaults(t) })
	slow.misbehaves(t, `{"contains": "\"name\":\"interrupted\"", "delay": "1m"}`)
	slow.misbehaves(t, `{"path": "/2.0/api/graphql", "delay": "4s"}`)
	for _, wrong := range refusals() {
		e.run(t, wrong.name, func(t *testing.T) {
			t.Parallel()
			e.refuses(t, wrong)
		})
	}
	for name, test := range map[string]func(*testing.T){
		"oldest helm": func(t *testing.T) { e.refusedBy(t, oldestHelm) },
		"helm 4":      func(t *testing.T) { e.refusedBy(t, helm4) },
		"image absent": func(t *testing.T) {
			e.imageAbsent(t, "e2e-image-absent", "timed out waiting for the condition")
		},
		"image absent, helm 4": func(t *testing.T) {
			e.by(helm4).imageAbsent(t, "e2e-image-absent-4", "resource Job/e2e-image-absent-4/validate-values not ready")
		},
		"taken back":   e.refusedAndTakenBack,
		"dry run":      e.dryRun,
		"side by side": e.sideBySide,
		"interrupted":  e.interrupted,
	} {
		e.run(t, name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// attempt tries an install that must be rejected, within a minute by default, and returns Helm's output.
func (e *environment) attempt(t *testing.T, helm install.Helm, upgrade install.Upgrade) string {
	t.Helper()
	begun := time.Now()
	out, err := e.tryInstall(t.Context(), helm, upgrade)
	t.Logf("refused after %.0f s", time.Since(begun).Seconds())
	require.NoError(t, err, out)
	return out
}

// tryInstall returns Helm's output, and an error if it rejected nothing in time.
func (e *environment) tryInstall(ctx context.Context, helm install.Helm, upgrade install.Upgrade) (string, error) {
	upgrade.Release, upgrade.Chart, upgrade.Timeout = "refused", filepath.Join(e.local.Root, "charts", "gitops-runtime"), cmp.Or(upgrade.Timeout, time.Minute)
	ctx, cancel := context.WithTimeout(ctx, upgrade.Timeout)
	defer cancel()
	upgrade.ValueFiles = append(append([]string{}, e.ready.ValueFiles...), upgrade.ValueFiles...)
	var out bytes.Buffer
	switch err := helm.Upgrade(ctx, upgrade, &out); {
	case err == nil:
		return out.String(), errors.New("the install was not refused")
	case ctx.Err() != nil:
		return out.String(), fmt.Errorf("not refused within %s: %w", upgrade.Timeout, err)
	}
	return out.String(), nil
}

func (e *environment) refuses(t *testing.T, wrong refusal) {
	namespace := "e2e-" + wrong.name
	e.namespace(t, namespace)
	out := e.attempt(t, e.local.Helm, install.Upgrade{Namespace: namespace, Sets: wrong.sets})
	assert.Regexp(t, `(?m)^ +fix:? `, out)
	if wrong.rendered {
		assert.Contains(t, out, wrong.code+": "+wrong.message+"\n")
		e.leftAfterRefusal(t, namespace)
		return
	}
	assert.Contains(t, out, wrong.code+"  "+wrong.message+"\n")
	e.leftAfterRefusal(t, namespace, "secrets/sh.helm.release.v1.refused.", "jobs/validate-values", "pods/validate-values-")
	e.reportsReason(t, namespace, wrong.code, wrong.message)
}

// leftAfterRefusal checks that after a rejected install only objects with these prefixes are left.
func (e *environment) leftAfterRefusal(t *testing.T, namespace string, prefixes ...string) {
	t.Helper()
	eventually(t, "nothing of the refused install is left", 30*time.Second, func(ctx context.Context) error {
		inside, err := e.list(ctx, namespace)
		if err != nil {
			return err
		}
		outside, err := e.list(ctx, "")
		if err != nil {
			return err
		}
		inside, outside = without(inside, ofEveryNamespace(), prefixes...), containing(outside, namespace)
		if len(inside)+len(outside) > 0 {
			return fmt.Errorf("in the namespace %v, outside any %v", inside, outside)
		}
		return nil
	})
}

// reportsReason checks that if Helm's output contains only that the Job failed, the reason is in its log, in an Event and at its pod.
func (e *environment) reportsReason(t *testing.T, namespace, code, message string) {
	t.Helper()
	log := e.kubectlOut(t, "logs", "jobs/validate-values", "-n", namespace)
	for _, part := range []string{"\nschema\n", "\nruntime\n", "\ncluster\n", code + "  " + message + "\n"} {
		assert.Contains(t, log, part)
	}
	assert.Regexp(t, `(?m)^[0-9]+ checks: .*1 failed`, log)

	events, err := e.client.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=validate-values,reason=ValuesRefused"})
	require.NoError(t, err)
	require.Len(t, events.Items, 1)
	assert.Contains(t, events.Items[0].Message, code+"\n"+code+": "+message)

	pods, err := e.client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "job-name=validate-values"})
	require.NoError(t, err)
	require.Len(t, pods.Items, 1)
	ended := pods.Items[0].Status.ContainerStatuses[0].State.Terminated
	require.NotNil(t, ended)
	assert.Equal(t, int32(3), ended.ExitCode)
	assert.Contains(t, ended.Message, code+"\n"+code+": "+message)
}
