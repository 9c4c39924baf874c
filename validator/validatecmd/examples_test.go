//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package validatecmd_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/validatecmd"
)

// The examples in the umbrella chart contain only keys of its schema.
func TestTheChartsExamplesFitItsSchema(t *testing.T) {
	files, err := filepath.Glob("../../charts/gitops-runtime/ci/*-values.yaml")
	require.NoError(t, err)
	for _, file := range files {
		var out bytes.Buffer
		validatecmd.Main(context.Background(), []string{
			"-f", file, "-n", "codefresh", "--no-cluster", "-o", "short", "--chart", "../../charts/gitops-runtime",
			"--set", "global.codefresh.url=http://nothing.invalid",
		}, validatecmd.System{Out: &out, Err: &out, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" }})
		for _, line := range strings.Split(out.String(), "\n") {
			assert.NotContains(t, line, "SCH", "%s: %s", filepath.Base(file), line)
			assert.NotContains(t, line, "MOD2", "%s: %s", filepath.Base(file), line)
			assert.NotContains(t, line, "validate-values:", "%s: %s", filepath.Base(file), line)
		}
	}
}
