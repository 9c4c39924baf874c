package render_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// No two charts contain the same ten consecutive lines of templates; shared templates belong to charts/common.
func TestChartsShareNoTemplateLines(t *testing.T) {
	t.Parallel()
	const run = 10
	root, err := gomodule.Root()
	require.NoError(t, err)
	first := map[string]string{}
	charts, err := os.ReadDir(filepath.Join(root, "charts"))
	require.NoError(t, err)
	for _, chart := range charts {
		if !chart.IsDir() {
			continue
		}
		folder := filepath.Join(root, "charts", chart.Name(), "templates")
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lines := significant(string(text))
			for at := 0; at+run <= len(lines); at++ {
				key := strings.Join(lines[at:at+run], "\n")
				if owner, seen := first[key]; seen {
					assert.Equal(t, owner, chart.Name(), "%s has ten lines of charts/%s:\n%s", path, owner, key)
					continue
				}
				first[key] = chart.Name()
			}
			return nil
		}))
	}
	assert.Greater(t, len(first), 1000, "no templates found")
}

// significant returns the non-empty lines of a template, without indentation.
func significant(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
