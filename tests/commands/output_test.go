package commands_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/testkit"
)

// The page of image-override shows what its commands print for the chart of this checkout.
func TestOutputOfImageOverride(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "imageoverride", "README.md"))
	require.NoError(t, err)
	values := filepath.Join(testkit.Folder(t, map[string]string{
		"my.yaml": "global:\n  codefresh: {accountId: a, userToken: {token: b}}\n  runtime: {name: c}\n",
	}), "my.yaml")
	out, chart := t.TempDir(), filepath.Join(root, "charts", "gitops-runtime")
	compared := 0
	for _, arguments := range [][]string{
		{"generate", chart, "--registry", "registry.corp:5000/gitops", "-f", values, "-o", out},
		{"why", chart, "nats", "-f", values},
		{"verify", chart, "--registry", "registry.corp:5000/gitops", "-f", values, "-f", filepath.Join(out, "values-images-no-tags.yaml")},
	} {
		var printed, problems bytes.Buffer
		require.Zero(t, overridecmd.Main(arguments, overridecmd.Streams{Out: &printed, Err: &problems, Version: "devel"}), problems.String())
		for line := range strings.Lines(printed.String() + problems.String()) {
			if line = strings.ReplaceAll(strings.TrimSpace(line), out, "out"); line != "" && !strings.Contains(line, "outside") {
				assert.Contains(t, string(page), line, arguments[0])
				compared++
			}
		}
	}
	assert.Greater(t, compared, 6)
}
