//go:build e2e

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// TestRuntime is the complete sequence, within an air gap: rejections on a clean cluster, a first install with a tunnel and tests of all Argo programs,
// upgrades to the other modes, uninstall. The newest Helm 3 installs; the oldest and then Helm 4 continue with its release. The last mode has the preset
// of the Pod Security level restricted.
func TestRuntime(t *testing.T) {
	e := start(t)
	gap := e.airGapped(t)
	t.Run("refused", e.refused)
	before := e.inventory(t)
	require.True(t, e.mode(t, images.Tunnel, func(t *testing.T, a access) {
		e.run(t, "reach of strangers", e.reachOfStrangers)
		e.run(t, "application", e.application)
		e.run(t, "rollout", e.rollout)
		e.run(t, "kinds", e.kinds)
		e.run(t, "untrusted tunnel server", e.untrustedServer)
		e.run(t, "workflow", e.workflow)
		e.run(t, "workflow as root", e.rootWorkflow)
		e.run(t, "repo server", e.repoServer)
		e.run(t, "promotion", e.promotion)
		e.run(t, "room for a workflow", e.roomForWorkflow)
		e.run(t, "components", e.components)
		e.run(t, "metrics", e.metrics)
		e.run(t, "event stream", a.eventStream)
		e.run(t, "helm test fails", e.helmTestFails)
		e.run(t, "away and back", e.awayAndBack)
		e.run(t, "refused upgrade", e.refusedUpgrade)
		e.run(t, "same chart again", e.sameChartAgain)
		e.run(t, "pulled within the gap", gap.pulled)
	}), "no runtime, so nothing else to test")
	e.by(oldestHelm).mode(t, images.Ingress, func(t *testing.T, _ access) { e.run(t, "pulled within the gap", gap.pulled) })
	e = e.by(helm4)
	e.mode(t, images.Gateway, nil)
	e.restricted().mode(t, images.Mesh, func(t *testing.T, a access) {
		e.run(t, "workflow", e.workflow)
		e.run(t, "router rollout", a.routerRollout)
	})
	e.run(t, "uninstall", func(t *testing.T) { e.uninstall(t, before) })
	e.run(t, "gap to the end", gap.verify)
}

// mode installs the runtime in an access mode and runs the tests of every mode, then more. It returns whether the install succeeded.
func (e *environment) mode(t *testing.T, name images.Mode, more func(*testing.T, access)) bool {
	t.Helper()
	installed := false
	t.Run(string(name), func(t *testing.T) {
		if !e.run(t, "install", func(t *testing.T) { e.install(t, name) }) {
			return
		}
		installed = true
		a := e.access(t, name)
		tested := e.beginHelmTest(t, install.Namespace)
		e.run(t, "app-proxy", a.appProxy)
		e.run(t, "argo cd", a.argoCD)
		e.run(t, "websocket", a.webSocket)
		e.run(t, "workflows server", a.workflowsServer)
		e.run(t, "webhook", a.webhook)
		e.run(t, "ambiguous paths", a.ambiguousPaths)
		e.run(t, "helm test", tested)
		e.run(t, "closed to other namespaces", func(t *testing.T) { e.closedToOthers(t, openToOthers(name)...) })
		if more != nil {
			more(t, a)
		}
		e.run(t, "secrets stay secret", e.secretsStaySecret)
		e.run(t, "nothing forbidden", func(t *testing.T) { e.nothingForbidden(t, install.Namespace) })
		if e.local.Restricted {
			e.run(t, "restricted", func(t *testing.T) { e.meetsRestricted(t, install.Namespace) })
		}
	})
	return installed
}
