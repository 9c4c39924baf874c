//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"
)

// interrupted is a release whose Helm commands are killed at random times.
type interrupted struct {
	statesOf
	random *rand.Rand
	// usual is how long each command takes if it is not killed.
	usual map[string]time.Duration
	// other are values that an upgrade changes, for --set.
	other string
	// empty returns an error if an uninstall leaves undocumented objects.
	empty func(context.Context) error
	// killed counts by command and the state that was found.
	killed map[string]int
}

// recover repeats the life cycle of the release: in each round an install, an upgrade, a rollback and an uninstall are killed once each, and the
// next ordinary command, or the documented one, recovers the release.
func (i interrupted) recover(t *testing.T, rounds int) {
	for round := range rounds {
		require.True(t, t.Run(fmt.Sprintf("round %d", round+1), func(t *testing.T) {
			i.kill(t, "install", i.upgrade()...)
			i.recoverRelease(t)
			i.ordinary(t)

			i.kill(t, "upgrade", i.upgrade("--set", i.other)...)
			i.recoverRelease(t)
			i.ordinary(t, "--set", i.other)

			i.kill(t, "rollback", "rollback", i.release, "--namespace", i.namespace, "--wait", "--timeout", i.timeout)
			i.recoverRelease(t)
			i.ordinary(t)

			i.kill(t, "uninstall", "uninstall", i.release, "--namespace", i.namespace, "--wait", "--timeout", i.timeout)
			i.uninstalled(t)
			eventually(t, "nothing is left that the documentation does not name", time.Minute, i.empty)
		}), "no further than round %d of %d", round+1, rounds)
	}
	all := 0
	for _, what := range slices.Sorted(maps.Keys(i.killed)) {
		t.Logf("killed in %s: %d", what, i.killed[what])
		all += i.killed[what]
	}
	assert.GreaterOrEqual(t, all, 2*rounds, "Helm ended before most moments, so little was tested")
}

// kill kills Helm at a random time within the usual time of the command; it may have ended before.
func (i interrupted) kill(t *testing.T, name string, args ...string) {
	t.Helper()
	moment := time.Duration(i.random.Float64() * float64(i.usual[name]))
	helm := i.helm(t.Context(), args...)
	require.NoError(t, helm.Start())
	ended := make(chan error, 1)
	go func() { ended <- helm.Wait() }()
	begun := time.Now()
	select {
	case err := <-ended:
		require.NoError(t, err, "%s was not killed, and failed", name)
		i.usual[name] = time.Since(begun)
		t.Logf("%s: done in %s, before it could be killed", name, time.Since(begun).Round(time.Millisecond))
	case <-time.After(moment):
		require.NoError(t, helm.Process.Kill())
		<-ended
		state := i.state(t)
		i.killed[name+", found "+state]++
		t.Logf("%s: killed after %s, found %s", name, moment.Round(time.Millisecond), state)
	}
}

// gone is the state of a release that does not exist.
const gone = "gone"

// state returns the status of the release that Helm reports.
func (i interrupted) state(t *testing.T) string {
	t.Helper()
	out, err := i.runHelm(t, "status", i.release, "--namespace", i.namespace)
	if err != nil {
		require.Contains(t, out, "release: not found")
		return gone
	}
	found := regexp.MustCompile(`(?m)^STATUS: (\S+)$`).FindStringSubmatch(out)
	require.Len(t, found, 2, out)
	return found[1]
}

// recoverRelease runs the documented command if the state blocks the ordinary one.
func (i interrupted) recoverRelease(t *testing.T) {
	t.Helper()
	switch state := i.state(t); state {
	case "pending-install":
		i.resolve(t, state, "")
	case "pending-upgrade", "pending-rollback":
		i.resolve(t, state, "deployed")
	default:
		require.Contains(t, []string{"deployed", "failed", gone}, state)
	}
}

// ordinary is the command that installs and upgrades; afterwards all pods are ready, since it waits for them.
func (i interrupted) ordinary(t *testing.T, more ...string) {
	t.Helper()
	begun := time.Now()
	out, err := i.runHelm(t, i.upgrade(more...)...)
	require.NoError(t, err, out)
	i.is(t, "deployed")
	t.Logf("helm upgrade --install: done in %s", time.Since(begun).Round(time.Millisecond))
}

// uninstalled runs the documented command once, unless the release is already gone.
func (i interrupted) uninstalled(t *testing.T) {
	t.Helper()
	switch state := i.state(t); state {
	case gone:
	case "deployed", "uninstalling":
		i.resolve(t, "uninstalling", "")
	default:
		require.Failf(t, "an uninstall left an unexpected state", "%s", state)
	}
}

// merged returns one file of several values files; later ones override earlier ones.
func merged(t *testing.T, files ...string) string {
	t.Helper()
	all := map[string]any{}
	for _, name := range files {
		read, err := chartutil.ReadValuesFile(name)
		require.NoError(t, err)
		all = chartutil.MergeTables(read, all)
	}
	text, err := yaml.Marshal(all)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}
