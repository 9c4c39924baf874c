//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/images"
)

// cyclesVariable says how often TestCycles installs and uninstalls; without it, often enough to see what an install leaves to
// the next.
const (
	cyclesVariable = "E2E_CYCLES"
	usualCycles    = 2
)

// TestCycles: a runtime that comes and goes, again and again, leaves nothing behind that the next could stumble over.
func TestCycles(t *testing.T) {
	cycles := usualCycles
	if text := os.Getenv(cyclesVariable); text != "" {
		var err error
		cycles, err = strconv.Atoi(text)
		require.NoError(t, err, "%s is no number", cyclesVariable)
	}
	e := start(t)
	defer e.clean(t)
	before := e.inventory(t)
	for cycle := range cycles {
		begun := time.Now()
		name := fmt.Sprintf("cycle %d", cycle+1)
		if !e.run(t, name+", install", func(t *testing.T) { e.install(t, images.Mesh) }) {
			return
		}
		installed := time.Now()
		if !e.run(t, name+", uninstall", func(t *testing.T) { e.uninstall(t, before) }) {
			return
		}
		t.Logf("%s: installed in %.0f s, uninstalled in %.0f s", name, installed.Sub(begun).Seconds(), time.Since(installed).Seconds())
	}
}
