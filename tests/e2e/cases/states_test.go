//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// statesOf is a release whose Helm commands are interrupted, and the documented commands for each state.
type statesOf struct {
	*environment
	release, namespace string
	chart              string   // the chart's folder
	files              []string // the values files of an upgrade; values is the file of a documented command
	values             string
	timeout            string
	commands           map[string]string
}

// Values of the chart argo-events: no pod runs, or its image is never found.
const (
	ready      = "{crds: {install: false}, controller: {replicas: 0}}"
	neverReady = "controller.replicas=1,controller.image.tag=absent"
)

// helmStates checks that the command of docs/troubleshooting.md resolves every state that a failed or killed Helm leaves.
func (e *environment) helmStates(t *testing.T, version, images string) {
	if version != "" {
		e = e.by(version)
	}
	values := file(t, ready)
	s := statesOf{
		environment: e, release: aloneRelease, namespace: "e2e-states-" + strings.ReplaceAll(filepath.Base(e.local.Helm.Path), ".", "-"),
		chart: e.local.Path(eventsAlone().Chart), files: []string{images, values}, values: values, timeout: "1m", commands: e.documented(t),
	}
	e.namespace(t, s.namespace)
	t.Cleanup(func() { s.uninstallRelease(t) })

	s.fails(t)
	s.resolve(t, "failed", "deployed")
	s.killed(t, "pending-upgrade", s.upgrade("--set", neverReady)...)
	s.refuses(t)
	s.resolve(t, "pending-upgrade", "deployed")
	s.fails(t)
	s.resolve(t, "failed", "deployed")
	s.fails(t)
	s.killed(t, "pending-rollback", "rollback", s.release, s.revision(t, "failed"), "--namespace", s.namespace, "--wait", "--timeout", "1m")
	s.refuses(t)
	s.resolve(t, "pending-rollback", "deployed")
	if version == helm4 {
		s.serverSide(t)
	}
	s.uninstallKilled(t)
	s.resolve(t, "uninstalling", "")
	s.killed(t, "pending-install", s.upgrade("--set", neverReady)...)
	s.refuses(t)
	s.resolve(t, "pending-install", "")
}

// helmVersionsRecover runs helmStates with every version of Helm, in parallel with other tests.
func (e *environment) helmVersionsRecover(t *testing.T, images string) {
	for _, version := range []string{oldestHelm, "", helm4} {
		e.run(t, "states of helm "+version, func(t *testing.T) {
			t.Parallel()
			e.helmStates(t, version, images)
		})
	}
}

// documented returns the commands of the first table of docs/troubleshooting.md, by state.
func (e *environment) documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.local.Root, "docs", "troubleshooting.md"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| .* \\| `helm ([^`]+)`").FindAllStringSubmatch(string(text), -1) {
		found[row[1]] = row[2]
	}
	require.Len(t, found, 5)
	return found
}

func (s statesOf) upgrade(more ...string) []string {
	args := []string{"upgrade", "--install", s.release, s.chart, "--namespace", s.namespace, "--wait", "--timeout", s.timeout}
	for _, file := range s.files {
		args = append(args, "-f", file)
	}
	return append(args, more...)
}

// uninstallRelease uninstalls the release, whatever its state.
func (s statesOf) uninstallRelease(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	assert.NoError(t, s.local.Helm.Uninstall(ctx, s.release, s.namespace, 3*time.Minute, t.Output()))
}

// helm returns a Helm command that is not started yet.
func (s statesOf) helm(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, s.local.Helm.Path, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.local.Helm.Kubeconfig, "HELM_DATA_HOME="+filepath.Join(s.local.Helm.Home, "data"))
	return command
}

// runHelm runs Helm and returns its output.
func (s statesOf) runHelm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out, err := s.helm(ctx, args...).CombinedOutput()
	return string(out), err
}

// is asserts the state of the release; empty for a release that does not exist.
func (s statesOf) is(t *testing.T, state string) {
	t.Helper()
	out, err := s.runHelm(t, "status", s.release, "--namespace", s.namespace)
	if state == "" {
		require.Error(t, err)
		require.Contains(t, out, "release: not found")
		return
	}
	require.NoError(t, err, out)
	require.Contains(t, out, "\nSTATUS: "+state+"\n")
}

// fails leaves a release, new or not, that did not become ready.
func (s statesOf) fails(t *testing.T) {
	t.Helper()
	out, err := s.runHelm(t, s.upgrade("--set", neverReady, "--timeout", "3s")...)
	require.Error(t, err, out)
	s.is(t, "failed")
}

// killed kills Helm while it waits for pods that never become ready, after it has recorded a state.
func (s statesOf) killed(t *testing.T, state string, args ...string) {
	t.Helper()
	helm := s.helm(t.Context(), args...)
	require.NoError(t, helm.Start())
	eventually(t, "Helm is at "+state, 30*time.Second, func(ctx context.Context) error {
		secrets, err := s.client.CoreV1().Secrets(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: "owner=helm,status=" + state})
		if err == nil && len(secrets.Items) != 1 {
			err = fmt.Errorf("%d revisions are %s", len(secrets.Items), state)
		}
		return err
	})
	require.NoError(t, helm.Process.Kill())
	require.Error(t, helm.Wait())
	s.is(t, state)
}

// refuses checks that Helm does not change a pending release by itself.
func (s statesOf) refuses(t *testing.T) {
	t.Helper()
	out, err := s.runHelm(t, s.upgrade()...)
	require.Error(t, err)
	require.Contains(t, out, "another operation (install/upgrade/rollback) is in progress")
}

// resolve runs the documented command for a state.
func (s statesOf) resolve(t *testing.T, state, to string) {
	t.Helper()
	var args []string
	for word := range strings.FieldsSeq(s.commands[state]) {
		switch word {
		case "NAME":
			word = s.release
		case "NAMESPACE":
			word = s.namespace
		case "CHART":
			word = s.chart
		case "VALUES":
			word = s.values
		case "REVISION":
			word = s.revision(t, "deployed")
		}
		args = append(args, word)
	}
	out, err := s.runHelm(t, args...)
	require.NoError(t, err, out)
	s.is(t, to)
}

// revision returns the newest revision of a state.
func (s statesOf) revision(t *testing.T, state string) string {
	t.Helper()
	out, err := s.runHelm(t, "history", s.release, "--namespace", s.namespace)
	require.NoError(t, err, out)
	rows := regexp.MustCompile(`(?m)^(\d+)\s.*\s`+state+`\s`).FindAllStringSubmatch(out, -1)
	require.NotEmpty(t, rows, out)
	return rows[len(rows)-1][1]
}

// uninstallKilled kills Helm while it waits for the deletion of an object with a finalizer.
func (s statesOf) uninstallKilled(t *testing.T) {
	t.Helper()
	deployments := s.client.AppsV1().Deployments(s.namespace)
	const name = aloneRelease + "-argo-events-controller-manager"
	hold := func(finalizers string) {
		_, err := deployments.Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	hold(`["e2e.example.com/held"]`)
	s.killed(t, "uninstalling", "uninstall", s.release, "--namespace", s.namespace, "--wait", "--timeout", "1m")
	hold("null")
	out, err := s.runHelm(t, s.upgrade()...)
	require.Error(t, err)
	require.Contains(t, out, "has no deployed releases")
}

// serverSide checks Helm 4's errors if server-side apply is rejected, and the documented flags.
func (s statesOf) serverSide(t *testing.T) {
	t.Helper()
	for _, refused := range []struct{ message, value, flag string }{
		{`conflict with "kubectl"`, "controller.revisionHistoryLimit=3", "--force-conflicts"},
		{"spec.strategy.rollingUpdate: Forbidden", "controller.deploymentStrategy.type=Recreate", "--server-side=false"}, // and from then on
	} {
		if strings.Contains(refused.message, "kubectl") {
			s.kubectlOut(t, "patch", "deployment", aloneRelease+"-argo-events-controller-manager", "-n", s.namespace,
				"--field-manager=kubectl", "-p", `{"spec":{"revisionHistoryLimit":4}}`)
		}
		out, err := s.runHelm(t, s.upgrade("--set", refused.value)...)
		require.Error(t, err)
		require.Contains(t, out, refused.message)
		out, err = s.runHelm(t, s.upgrade("--set", refused.value, refused.flag)...)
		assert.NoError(t, err, out)
		s.is(t, "deployed")
	}
}
