package readme_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/readme"
)

func TestReadmesAreInStepWithTheValues(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := readme.Generate(t.Context(), root)
	require.NoError(t, err)
	drift, err := generated.Drift(root, files)
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

Generated from ` + "`values.yaml` by `make generate`" + `.
`

// File is a generated file with its content as text.
type File struct{ Path, Text string }

const wantValues = `| group | values |
| --- | ---: |
| [` + "`global.books`" + `](#globalbooks) | 1 |
| [` + "`global`" + `](#global) | 1 |
| [` + "`other`" + `](#other) | 1 |

## global.books

| value | type | default | description |
| --- | --- | --- | --- |
| <a id="global-books-title"></a>` + "`global.books.title` | string | `\"a\\|b\"`" + ` | Of the book |

## global

| value | type | default | description |
| --- | --- | --- | --- |
| <a id="global-one"></a>` + "`global.one` | int | `1`" + ` | First |

## other

| value | type | default | description |
| --- | --- | --- | --- |
| <a id="other"></a>` + "`other` | object | `{}`" + ` | Last |
`

func TestGenerate(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	template, err := os.ReadFile(filepath.Join(root, "charts", "README.gotmpl"))
	require.NoError(t, err)
	rows, err := os.ReadFile(filepath.Join(root, "charts", "values.gotmpl"))
	require.NoError(t, err)
	checkout := testkit.Folder(t, map[string]string{
		"charts/README.gotmpl":     string(template),
		"charts/values.gotmpl":     string(rows),
		"charts/books/Chart.yaml":  "apiVersion: v2\nname: books\ndescription: Books\nversion: 1.2.3\nappVersion: v4\nkubeVersion: '>=1.23.0-0'\n",
		"charts/books/values.yaml": "# @schema type: [string, null]\n# -- Of the book\ntitle: \"\"\npages:\n  # -- Number of the first page\n  first: 1 # @schema minimum: 1\n",
		"charts/common/Chart.yaml": "apiVersion: v2\nname: common\nversion: 1.2.3\n",

		"charts/gitops-runtime/Chart.yaml":       "apiVersion: v2\nname: gitops-runtime\nversion: 1.2.3\n",
		"charts/gitops-runtime/README.md.gotmpl": "See [books](../books/README.md#values), [below](#below) and [elsewhere](https://example.com/).\n",
		"charts/gitops-runtime/values.yaml":      "global:\n  books:\n    # -- Of the book\n    title: a|b\n  # -- First\n  one: 1\n# -- Last\nother: {}\n",
	})
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "hack", "tools", name))
		require.NoError(t, err)
		testkit.WriteFile(t, filepath.Join(checkout, "hack", "tools", name), string(text))
	}

	files, err := readme.Generate(t.Context(), checkout)
	require.NoError(t, err)
	require.Len(t, files, 3)
	_, groups, _ := strings.Cut(string(files[2].Text), ".\n\n")
	files[2].Text = []byte(groups)
	for i, page := range []File{
		{filepath.Join("charts", "books", "README.md"), want},
		{filepath.Join("charts", "gitops-runtime", "README.md"), "See [books](../books/README.md#values), [below](#below) and [elsewhere](https://example.com/).\n"},
		{filepath.Join("docs", "values.md"), wantValues},
	} {
		assert.Equal(t, page, File{files[i].Path, string(files[i].Text)})
	}

	files, err = readme.Generate(t.Context(), checkout)
	require.NoError(t, err)
	drift, err := generated.Drift(checkout, files)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"charts/books/README.md is missing; run make generate",
		"charts/gitops-runtime/README.md is missing; run make generate",
		"docs/values.md is missing; run make generate",
	}, drift)
	require.NoError(t, generated.Write(checkout, files))
	drift, err = generated.Drift(checkout, files)
	require.NoError(t, err)
	assert.Empty(t, drift)
}

func TestGenerateWithoutTheTool(t *testing.T) {
	_, err := readme.Generate(t.Context(), t.TempDir())
	assert.ErrorContains(t, err, "build helm-docs")
}
