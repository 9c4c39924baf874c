//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// TestFaults checks that a highly available runtime recovers from every fault of docs/reliability.md while requests and webhooks pass its tunnel
// and its router, an application is synced and workflows run.
func TestFaults(t *testing.T) {
	down := variable(t, downVariable, usualDown, time.ParseDuration)
	e := start(t)
	defer e.clean(t)
	require.True(t, e.run(t, "install", func(t *testing.T) { e.installHA(t, small) }))
	a := e.access(t, images.Tunnel)
	e.run(t, "one by one", func(t *testing.T) { a.oneByOne(t, down) })
	e.run(t, "full disks", a.fullDisks)
	e.run(t, "restart", a.restarts)
}

// oneByOne tests the faults that end by themselves.
func (a access) oneByOne(t *testing.T, down time.Duration) {
	f := a.underLoad(t, hookThatRepeats(hookOn(3)), firstWebhook)
	faults := []fault{f.redisEmptied(), f.dnsAway(t, time.Minute), f.apiAway(time.Minute)}
	for _, how := range waysToBeDown() {
		faults = append(faults, f.platformAndGitDown(how, down))
	}
	selectors := f.workloadSelectors(t)
	names := slices.Sorted(maps.Keys(selectors))
	random := seeded(t)
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		faults = append(faults, f.podDies(name, selectors[name]))
	}
	f.inject(t, faults...)
}

// underLoad starts all traffic and all work, which end with the test; webhooks pass the hook.
func (a access) underLoad(t *testing.T, hook string, first int) *traffic {
	t.Helper()
	a.applyHere(t, hook)
	a.subscribed(t, install.Namespace, "e2e-hook")
	a.answer(t, 200, time.Minute, pushed(-1))
	eventually(t, "all workloads are ready", 3*time.Minute, a.allReady)
	f := a.begin(t.Context(), first)
	f.beginWork(t)
	t.Cleanup(f.end)
	return f
}

// hookThatRepeats returns a hook whose Sensor retries for at least half an hour, and acknowledges an event only after that. By default Argo Events
// also acknowledges events whose trigger fails.
func hookThatRepeats(hook string) string {
	return strings.Replace(hook, "  triggers:\n  - template:", "  triggers:\n  - atLeastOnce: true\n    retryStrategy: {steps: 1800, duration: 1s}\n    template:", 1)
}

// restarts checks that the runtime recovers after its only node restarts. The stand-in that counts webhooks restarts, too.
func (a access) restarts(t *testing.T) {
	const name = "the node restarts"
	if !chosen(t, name) {
		return
	}
	a.applyHere(t, hookOn(3))
	a.subscribed(t, install.Namespace, "e2e-hook")
	a.answer(t, 200, time.Minute, pushed(-1))
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	require.NoError(t, a.local.Cluster.Restart(ctx))
	require.NoError(t, a.local.Cluster.Start(ctx))
	eventually(t, "all workloads are ready", 5*time.Minute, a.allReady)
	a.answer(t, 200, 2*time.Minute, request{path: "/app-proxy/hello"})
	a.answer(t, 200, 2*time.Minute, pushed(-2))
	a.platform(t).receives(t, "e2e-hook", func(body map[string]any) bool {
		pushed, _ := body["pushed"].(map[string]any)
		return pushed["number"] == -2.0
	})
	t.Logf("| %s | %.0f s | all until then | not counted | not counted | not counted | not counted | not counted |", name, time.Since(begun).Seconds())
}

// momentsVariable sets how often TestInterrupted kills each command.
const (
	momentsVariable = "E2E_MOMENTS"
	usualMoments    = 20
)

// TestInterrupted kills Helm at random times while it installs, upgrades, rolls back and uninstalls the runtime.
func TestInterrupted(t *testing.T) {
	moments := variable(t, momentsVariable, usualMoments, strconv.Atoi)
	e := start(t)
	defer e.clean(t)
	before := e.inventory(t)
	ready, err := e.local.Prepare(t.Context(), images.Mesh)
	require.NoError(t, err)
	values := merged(t, ready.ValueFiles...)
	e.apply(t, runtimeNamespace(install.Namespace))
	i := interrupted{
		statesOf: statesOf{
			environment: e, release: install.Release, namespace: install.Namespace, chart: filepath.Join(e.local.Root, "charts", "gitops-runtime"),
			files: []string{values}, values: values, timeout: "6m", commands: e.documented(t),
		},
		random: seeded(t), other: "internal-router.podAnnotations.e2e=changed,argo-cd.server.podAnnotations.e2e=changed", killed: map[string]int{},
		usual: map[string]time.Duration{"install": 50 * time.Second, "upgrade": 30 * time.Second, "rollback": 20 * time.Second, "uninstall": 20 * time.Second},
	}
	i.empty = func(ctx context.Context) error {
		if err := e.nothingLeft(ctx, before); err != nil {
			return err
		}
		if runtimes := e.platform(t).runtimes(t); !slices.Equal(runtimes, []string{"taken"}) {
			return fmt.Errorf("the account has the runtimes %v", runtimes)
		}
		return nil
	}
	i.recover(t, moments)
	assert.NoError(t, i.empty(t.Context()))
}
