//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// passed is a line of a report for a check that passed.
var passed = regexp.MustCompile(`(?m)^  ok    (\S+) `)

// inEveryMode are the checks of helm test for a runtime with all of Argo's projects.
var inEveryMode = []string{
	"app-proxy/ready", "app-proxy/registered", "router/app-proxy/api/healthz", "router/workflows/api/v1/version",
	"router/webhooks/codefresh/test-router/none", "argo-cd/healthz", "argo-cd/version", "argo-cd/sync", "argo-cd/delete",
	"argo-workflows/step", "argo-workflows/delete", "argo-rollouts/first", "argo-rollouts/update", "argo-rollouts/delete",
	"argo-events/bus", "argo-events/source", "argo-events/sensor", "argo-events/event", "argo-events/delete",
}

// beginHelmTest runs helm test in parallel with other tests; the returned test waits for it: every check passes, and only the pods with their logs
// are left.
func (e *environment) beginHelmTest(t *testing.T, namespace string) func(*testing.T) {
	t.Helper()
	begun := time.Now()
	type outcome struct {
		out  bytes.Buffer
		err  error
		took time.Duration
	}
	ended := make(chan *outcome, 1)
	ctx := t.Context()
	go func() {
		var o outcome
		o.err = e.local.Helm.Test(ctx, install.Release, namespace, 5*time.Minute, &o.out)
		o.took = time.Since(begun)
		ended <- &o
	}()
	return func(t *testing.T) {
		o := <-ended
		t.Logf("helm test took %s\n%s", o.took.Round(time.Second), o.out.String())
		require.NoError(t, o.err)
		var names []string
		for _, match := range passed.FindAllStringSubmatch(o.out.String(), -1) {
			if !strings.HasPrefix(match[1], "components/") && !strings.HasPrefix(match[1], "access/") {
				names = append(names, match[1])
			}
		}
		assert.ElementsMatch(t, inEveryMode, names) // Helm 3.8 prints logs in the order of their names
		assert.Regexp(t, `(?m)^  ok    access/\w+ `, o.out.String())
		e.nothingOfTests(t, namespace)
	}
}

// nothingOfTests checks that nothing that tests create exists.
func (e *environment) nothingOfTests(t *testing.T, namespace string) {
	t.Helper()
	for _, resource := range []string{"applications", "appprojects", "workflows", "rollouts", "eventbus", "eventsources", "sensors"} {
		list, err := e.objects.Resource(argo(resource)).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, item := range list.Items {
			assert.False(t, strings.HasPrefix(item.GetName(), "test-"), "%s/%s is left", resource, item.GetName())
		}
	}
	maps, err := e.client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, one := range maps.Items {
		assert.NotEqual(t, "test-argo-cd", one.Name)
	}
}

// helmTestFails checks that helm test fails without a controller and reports the component, as does the test of the component itself.
func (e *environment) helmTestFails(t *testing.T) {
	const controller = "argo-workflow-controller"
	e.scale(t, install.Namespace, controller, 0)
	defer e.scale(t, install.Namespace, controller, 1)
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	require.Error(t, e.local.Helm.Test(ctx, install.Release, install.Namespace, time.Minute, &out, "test-components"))
	lines := strings.Split(out.String(), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  FAIL") })
	require.GreaterOrEqual(t, at, 0, out.String())
	require.Equal(t, []string{
		"  FAIL  components/argo-workflow-controller  The pods of deployments.apps/argo-workflow-controller are available",
		"          asked  get deployments.apps/argo-workflow-controller in namespace codefresh",
		"          got    it is scaled to 0 replicas",
	}, lines[at:at+3])
	require.Contains(t, out.String(), "passed, 1 failed")
}
