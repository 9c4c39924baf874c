package overridecmd

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSteps: a run that takes long says what it does, and one that is quick says nothing.
func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		step := steps(&out)
		for range 40 {
			step("render scenario default (1 of 2)")
			time.Sleep(time.Second)
		}
		require.Equal(t, strings.Repeat("render scenario default (1 of 2) ...\n", 2), out.String())
	})
}
