package images

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/pins"
)

func TestCatalogKnowsEveryImageOfTheCharts(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	catalog, err := New(root, t.TempDir())
	require.NoError(t, err)
	for _, file := range files {
		named, err := pins.ImagesOf(file)
		require.NoError(t, err)
		for _, image := range named {
			_, err := catalog.find([]string{image})
			assert.NoError(t, err, file)
		}
	}
}
