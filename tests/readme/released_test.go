package readme_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// As long as the changelog has no section of the version, the pages that newcomers read say that it is not released; afterwards they do not.
func TestPagesSayWhetherTheVersionIsReleased(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(text)
	}
	version := strings.TrimSpace(read("VERSION"))
	released := strings.Contains(read("CHANGELOG.md"), "\n## ["+version+"]")
	for _, page := range []string{"README.md", "SECURITY.md", "docs/verify.md"} {
		assert.Equal(t, !released, strings.Contains(read(page), "ersion "+version+" is not released yet"), page)
	}
}
