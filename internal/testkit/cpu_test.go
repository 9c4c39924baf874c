package testkit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
)

// rounds returns the results of six rounds of one benchmark, in a file.
func rounds(t *testing.T, seconds ...float64) string {
	t.Helper()
	text := "goos: linux\npkg: example.com/a\n"
	for _, each := range seconds {
		text += fmt.Sprintf("BenchmarkA/small-2 \t 1\t 2000000 ns/op\t %.3f %s\n", each, testkit.CPUUnit)
	}
	file := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// TestGate checks the verdicts of the target bench-compare.
func TestGate(t *testing.T) {
	before := []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05}
	for name, of := range map[string]struct {
		now    []float64
		code   int
		output string
	}{
		"a third more":               {[]float64{1.35, 1.36, 1.37, 1.38, 1.39, 1.4}, 1, "A/small-2 takes +34.15% more of the processors: 1.025 s before, 1.375 s now"},
		"a tenth more":               {[]float64{1.11, 1.12, 1.13, 1.14, 1.15, 1.16}, 0, "none of 1 benchmarks takes over 20 % more of the processors"},
		"less":                       {[]float64{.5, .51, .52, .53, .54, .55}, 0, "none of 1 benchmarks takes over 20 % more of the processors"},
		"more, but within the noise": {[]float64{.5, 1.6, .9, 1.3, 1.7, 1.4}, 0, "none of 1 benchmarks takes over 20 % more of the processors"},
		"nothing":                    {nil, 2, "nothing to compare: no benchmark reports cpu-s/op in both"},
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command("../../hack/tools/bench-gate.sh", rounds(t, before...), rounds(t, of.now...), "20")
			output, err := command.Output()
			if of.code == 0 {
				require.NoError(t, err)
			}
			assert.Equal(t, of.code, command.ProcessState.ExitCode())
			assert.Equal(t, of.output, strings.TrimSpace(string(output)))
		})
	}
}
