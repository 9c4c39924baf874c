//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/standin/appproxy"
)

// secondNamespace is where a second runtime is.
const secondNamespace = "e2e-second"

// secondValues are those of the second runtime that differ from the first; the node has room for two only if one requests little.
const secondValues = `
global:
  runtime:
    name: second
    singleNamespace: true
    ingressUrl: http://second.example.com
app-proxy:
  resources: {requests: {cpu: 10m, memory: 16Mi}}
  initContainer: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
internal-router: {resources: {requests: {cpu: 10m, memory: 16Mi}}}
`

// twoRuntimes tests two runtimes on one cluster, each in its namespace. The second writes nothing outside its own, both work, and the first, which
// exists already and is then limited to its namespace, is not affected when the second is uninstalled.
func (n *neighbors) twoRuntimes(t *testing.T) {
	n.installFirst(t, besideValues+"\nglobal: {runtime: {singleNamespace: true}}")
	n.apply(t, runtimeNamespace(secondNamespace)) // clean removes it
	before, written := n.inventory(t), n.clusterRevisions(t)
	n.installSecond(t)
	first := n.access(t, images.Mesh)
	n.run(t, "nothing outside the namespace", func(t *testing.T) {
		assert.Empty(t, without(n.inventory(t), before))
		assert.Equal(t, written, n.clusterRevisions(t))
	})
	n.run(t, "both answer", func(t *testing.T) {
		first.appProxy(t)
		text, err := n.client.CoreV1().Services(secondNamespace).ProxyGet("http", "internal-router", "80", "/app-proxy/hello", nil).DoRaw(t.Context())
		require.NoError(t, err)
		var echo appproxy.Echo
		require.NoError(t, json.Unmarshal(text, &echo))
		assert.Equal(t, "app-proxy", echo.StandIn)
		assert.Equal(t, []string{install.Name, "second", "taken"}, n.platform(t).runtimes(t))
	})
	n.run(t, "each reports its own workflows", n.reportsOwnWorkflows)
	pods := n.pods(t, "")
	n.run(t, "second goes", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		require.NoError(t, n.local.Helm.Uninstall(ctx, install.Release, secondNamespace, 3*time.Minute, t.Output()))
		assert.Equal(t, []string{install.Name, "taken"}, n.platform(t).runtimes(t))
		assert.Equal(t, pods, n.pods(t, ""))
		after := n.inventory(t)
		assert.Empty(t, without(after, before))
		assert.Empty(t, without(before, after))
	})
	n.run(t, "first stays", first.webhook)
}

// installSecond installs the second runtime with the documented values of an additional runtime.
func (n *neighbors) installSecond(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 11*time.Minute)
	defer cancel()
	chart := filepath.Join(n.local.Root, "charts", "gitops-runtime")
	files := append([]string{filepath.Join(chart, "ci", "single-namespace-values.yaml")}, n.mesh.ValueFiles...)
	require.NoError(t, n.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: install.Release, Chart: chart, Namespace: secondNamespace,
		ValueFiles: append(files, file(t, secondValues)), Timeout: 10 * time.Minute,
	}, t.Output()))
}

// reportsOwnWorkflows checks that a workflow is run and reported only by the runtime in its namespace.
func (n *neighbors) reportsOwnWorkflows(t *testing.T) {
	for namespace, name := range map[string]string{install.Namespace: install.Name, secondNamespace: "second"} {
		n.applyHere(t, strings.Replace(suspended, "namespace: codefresh", "namespace: "+namespace, 1))
		eventually(t, "the workflow of "+name+" waits", time.Minute, n.has("workflows", namespace, "e2e-suspended", map[string]string{"status.phase": "Running"}))
		eventually(t, "the platform receives the workflow of "+name, time.Minute, func(ctx context.Context) error {
			events, err := n.platform(t).events(ctx, "Workflow")
			if err != nil {
				return err
			}
			reporters := map[string]bool{}
			for _, event := range events {
				if event.Object.Namespace == namespace {
					reporters[event.Runtime] = true
				}
			}
			if len(reporters) != 1 || !reporters[name] {
				return fmt.Errorf("it was reported by %v", reporters)
			}
			return nil
		})
	}
}
