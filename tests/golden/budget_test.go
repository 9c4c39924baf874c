package golden_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/golden"
	"gitops-runtime/tests/render"
)

// Helm stores a release in a Secret of at most 1 MiB. A release with everything enabled takes less than half of it.
func TestReleaseTakesLessThanHalfASecret(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	for _, of := range golden.Cases() {
		release, err := loaded.Release(of)
		require.NoError(t, err)
		stored, err := render.Stored(release)
		require.NoError(t, err)
		t.Logf("%s: %d KiB", of.Name, len(stored)/1024)
		assert.Less(t, len(stored), 512*1024, of.Name)
	}
}

// BenchmarkRender reads the chart from disk and renders the default case and the case with everything enabled; cpu-s/op is the CPU time (target: less
// than 1).
func BenchmarkRender(b *testing.B) {
	for _, of := range []golden.Case{golden.Cases()[0], everythingOn()} {
		b.Run(of.Name, func(b *testing.B) {
			start := testkit.CPUTime(b)
			for b.Loop() {
				root, err := gomodule.Root()
				require.NoError(b, err)
				fresh, err := golden.Load(b.Context(), root)
				require.NoError(b, err)
				_, err = fresh.Release(of)
				require.NoError(b, err)
			}
			testkit.ReportCPU(b, start)
		})
	}
}
