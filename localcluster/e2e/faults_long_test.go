//go:build e2e && faults

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/addons"
	"gitops-runtime/localcluster/images"
	"gitops-runtime/localcluster/install"
)

// TestFaults: a highly available runtime meets every fault of docs/reliability.md while requests and webhooks pass its tunnel and its router.
func TestFaults(t *testing.T) {
	e := start(t)
	defer e.clean(t)
	require.True(t, e.run(t, "install", func(t *testing.T) { e.installHA(t, small) }))
	a := e.access(t, images.Tunnel)
	a.applyHere(t, hookOn(3))
	a.subscribed(t, install.Namespace, "e2e-hook")
	for _, object := range []string{namespaceOf("e2e-guestbook"), guestbook} {
		a.applyHere(t, object)
	}
	a.answer(t, 200, time.Minute, pushed(-1))
	f := a.begin(t.Context())
	t.Cleanup(f.end)

	faults := []fault{
		f.redisEmptied(),
		f.platformDown("answers 503", `"status":503,"body":"away"`, 30*time.Second),
		f.platformDown("answers garbage", `"status":200,"body":"<html>"`, 30*time.Second),
		f.platformDown("hangs", `"delay":"15m"`, 30*time.Second),
		f.platformDown("drops connections", `"drop":true`, 30*time.Second),
		f.gitDown(30 * time.Second),
		f.apiAway(time.Minute),
	}
	selectors := f.workloadSelectors(t)
	names := slices.Sorted(maps.Keys(selectors))
	chance := seeded(t)
	chance.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		faults = append(faults, f.podDies(name, selectors[name]))
	}
	f.meet(t, faults...)
	f.end()
	e.run(t, "the node restarts", e.nodeRestarts)
}

// nodeRestarts: after its only node has restarted, the runtime is as it was. The stand-in that counts webhooks has restarted with it.
func (e *environment) nodeRestarts(t *testing.T) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	require.NoError(t, e.local.Cluster.Restart(ctx))
	require.NoError(t, e.local.Cluster.Start(ctx))
	eventually(t, "all workloads are ready", 5*time.Minute, e.allReady)
	a := e.access(t, images.Tunnel)
	a.answer(t, 200, 2*time.Minute, request{path: "/app-proxy/hello"})
	t.Logf("| the node restarts | %.0f s | all until then | not counted | not counted | not counted |", time.Since(begun).Seconds())
	a.answer(t, 200, 2*time.Minute, pushed(-2))
	a.platform(t).receives(t, "e2e-hook", func(body map[string]any) bool {
		pushed, _ := body["pushed"].(map[string]any)
		return pushed["number"] == -2.0
	})
}

// momentsVariable says at how many moments TestInterrupted kills each command.
const (
	momentsVariable = "E2E_MOMENTS"
	usualMoments    = 20
)

// TestInterrupted kills Helm while it installs, upgrades, rolls back and uninstalls the runtime, at moments by chance.
func TestInterrupted(t *testing.T) {
	moments := usualMoments
	if text := os.Getenv(momentsVariable); text != "" {
		var err error
		moments, err = strconv.Atoi(text)
		require.NoError(t, err, "%s is not a number", momentsVariable)
	}
	e := start(t)
	defer e.clean(t)
	before := e.inventory(t)
	ready, err := e.local.Prepare(t.Context(), images.Mesh)
	require.NoError(t, err)
	values := merged(t, ready.ValueFiles...)
	e.namespace(t, install.Namespace)
	i := interrupted{
		statesOf: statesOf{
			environment: e, release: install.Release, namespace: install.Namespace, chart: filepath.Join(e.local.Root, "charts", "gitops-runtime"),
			files: []string{values}, values: values, timeout: "6m", commands: e.documented(t),
		},
		chance: seeded(t), other: "internal-router.podAnnotations.e2e=changed,argo-cd.server.podAnnotations.e2e=changed", killed: map[string]int{},
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

// gitDown is the fault that the Git server has no pod for a while; then Argo CD compares the application with it again.
func (e *environment) gitDown(duration time.Duration) fault {
	return fault{
		name: fmt.Sprintf("Git is away for %.0f s", duration.Seconds()),
		strike: func(t *testing.T) {
			e.scale(t, addons.Namespace, "git-server", 0)
			time.Sleep(duration) // not for a condition: this is the fault
			e.scale(t, addons.Namespace, "git-server", 1)
			e.kubectlOut(t, "annotate", "application", "e2e-guestbook", "-n", install.Namespace, "--overwrite", "argocd.argoproj.io/refresh=hard")
		},
		recovered: e.has("applications", install.Namespace, "e2e-guestbook", map[string]string{"status.sync.status": "Synced", "status.health.status": "Healthy"}),
	}
}
