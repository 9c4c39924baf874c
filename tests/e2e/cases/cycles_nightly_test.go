//go:build e2e && nightly

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// cyclesVariable sets how often TestCycles installs and uninstalls; the default is once.
const (
	cyclesVariable = "E2E_CYCLES"
	usualCycles    = 1
)

// TestCycles checks that installing and uninstalling a runtime repeatedly leaves nothing behind and does not break the next install. The first
// runtime is the previous release, and is upgraded before it is uninstalled; the oldest Helm does that and everything after it. Each runtime is
// installed in a random access mode, upgraded to another and rolled back.
func TestCycles(t *testing.T) {
	cycles := variable(t, cyclesVariable, usualCycles, strconv.Atoi)
	e := start(t)
	defer e.clean(t)
	if cycles > 1 { // the ingress controller of two modes is not part of the runtime
		_, err := e.local.Prepare(t.Context(), images.Ingress)
		require.NoError(t, err)
	}
	before := e.inventory(t)
	random := seeded(t)
	for cycle := range cycles {
		begun := time.Now()
		ok := false
		t.Run(fmt.Sprintf("cycle %d", cycle+1), func(t *testing.T) {
			if cycle == 0 {
				ok = e.upgraded(t)
				e = e.by(oldestHelm)
			} else {
				ok = e.upgradeAndRollBack(t, random)
			}
			installed := time.Now()
			ok = ok && e.run(t, "uninstall", func(t *testing.T) { e.uninstall(t, before) })
			t.Logf("installed in %.0f s, uninstalled in %.0f s", installed.Sub(begun).Seconds(), time.Since(installed).Seconds())
		})
		require.True(t, ok, "stopped at cycle %d of %d", cycle+1, cycles)
	}
}

// upgradeAndRollBack installs the runtime in a mode, upgrades it to another, and rolls back. It returns whether the runtime is installed.
func (e *environment) upgradeAndRollBack(t *testing.T, random *rand.Rand) bool {
	modes := []images.Mode{images.Tunnel, images.Ingress, images.Gateway, images.Mesh}
	random.Shuffle(len(modes), func(i, j int) { modes[i], modes[j] = modes[j], modes[i] })
	for _, mode := range modes[:2] {
		if !e.run(t, "to "+string(mode), func(t *testing.T) { e.install(t, mode) }) {
			return false
		}
	}
	return e.run(t, "back to "+string(modes[0]), func(t *testing.T) {
		s := statesOf{environment: e, release: install.Release, namespace: install.Namespace}
		out, err := s.runHelm(t, "rollback", s.release, "--namespace", s.namespace, "--wait", "--timeout", "6m")
		require.NoError(t, err, out)
		s.is(t, "deployed")
		eventually(t, "all workloads are ready", time.Minute, e.allReady)
	})
}

// seedVariable sets the seed, to repeat the moments of an earlier run.
const seedVariable = "E2E_SEED"

// seeded returns the random numbers of a test, and logs how to repeat them.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	now := uint64(time.Now().Unix()) //nolint:gosec // any number is sufficient
	seed := variable(t, seedVariable, now, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
	t.Logf("the moments of the seed %d; SEED=%d repeats them", seed, seed)
	return rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // moments are not secret
}
