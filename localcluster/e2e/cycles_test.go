//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/images"
)

// cyclesVariable says how often TestCycles installs and uninstalls; without it once, as in TestNeighbors runtimes come and go
// in one namespace, too.
const (
	cyclesVariable = "E2E_CYCLES"
	usualCycles    = 1
)

// TestCycles: a runtime that comes and goes, again and again, leaves nothing behind, and nothing that the next could stumble over.
// The first is the previous release, and is upgraded before it goes; the oldest Helm does that and all that follows.
func TestCycles(t *testing.T) {
	cycles := usualCycles
	if text := os.Getenv(cyclesVariable); text != "" {
		var err error
		cycles, err = strconv.Atoi(text)
		require.NoError(t, err, "%s is not a number", cyclesVariable)
	}
	e := start(t)
	defer e.clean(t)
	before := e.inventory(t)
	for cycle := range cycles {
		begun := time.Now()
		there := false
		t.Run(fmt.Sprintf("cycle %d", cycle+1), func(t *testing.T) {
			if cycle == 0 {
				there = e.upgraded(t)
				e = e.by(oldestHelm)
			} else {
				there = e.run(t, "install", func(t *testing.T) { e.install(t, images.Mesh) })
			}
			installed := time.Now()
			there = there && e.run(t, "uninstall", func(t *testing.T) { e.uninstall(t, before) })
			t.Logf("installed in %.0f s, uninstalled in %.0f s", installed.Sub(begun).Seconds(), time.Since(installed).Seconds())
		})
		require.True(t, there, "no further than cycle %d of %d", cycle+1, cycles)
	}
}
