package readme_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/readme"
)

func TestReadmesAreInStepWithTheValues(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := readme.Generate(t.Context(), root)
	require.NoError(t, err)
	drift, err := readme.Drift(root, files)
	require.NoError(t, err)
	assert.Empty(t, drift)
}

const want = `# books

Books.

| version | app version | Kubernetes |
| --- | --- | --- |
| 1.2.3 | v4 | >=1.23.0-0 |

## Values

| Key | Type | Default | Description |
|-----|------|---------|-------------|
| title | string | ` + "`\"\"`" + ` | Of the book |
| pages.first | int | ` + "`1`" + ` | Number of the first page |

Made from ` + "`values.yaml` by `make generate`" + `.
`

func TestGenerate(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	template, err := os.ReadFile(filepath.Join(root, "charts", "README.gotmpl"))
	require.NoError(t, err)
	checkout := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(checkout, "tools"), 0o750))
	require.NoError(t, os.CopyFS(filepath.Join(checkout, "tools", "helm-docs"), os.DirFS(filepath.Join(root, "tools", "helm-docs"))))
	for path, text := range map[string]string{
		"charts/README.gotmpl":     string(template),
		"charts/books/Chart.yaml":  "apiVersion: v2\nname: books\ndescription: Books\nversion: 1.2.3\nappVersion: v4\nkubeVersion: '>=1.23.0-0'\n",
		"charts/books/values.yaml": "# @schema type: [string, null]\n# -- Of the book\ntitle: \"\"\npages:\n  # -- Number of the first page\n  first: 1 # @schema minimum: 1\n",
		"charts/common/Chart.yaml": "apiVersion: v2\nname: common\nversion: 1.2.3\n",
	} {
		file := filepath.Join(checkout, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}

	files, err := readme.Generate(t.Context(), checkout)
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, filepath.Join("charts", "books", "README.md"), files[0].Path)
	assert.Equal(t, want, string(files[0].Text))

	drift, err := readme.Drift(checkout, files)
	require.NoError(t, err)
	assert.Equal(t, []string{"charts/books/README.md is not in step with values.yaml; run make generate"}, drift)
	require.NoError(t, readme.Write(checkout, files))
	drift, err = readme.Drift(checkout, files)
	require.NoError(t, err)
	assert.Empty(t, drift)
}

func TestGenerateWithoutTheTool(t *testing.T) {
	_, err := readme.Generate(t.Context(), t.TempDir())
	assert.ErrorContains(t, err, "build helm-docs")
}
