package helmchart_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/testkit"
)

var umbrella = map[string]string{
	"umbrella/Chart.yaml": `apiVersion: v2
name: gitops-runtime
version: 1.2.3
appVersion: 1.2.3
dependencies:
  - {name: beside, version: 3.0.0, repository: "file://../beside", condition: beside.enabled}
  - {name: inside, version: 2.0.0, alias: renamed}
  - {name: packed, version: 4.0.0}
`,
	"umbrella/values.yaml":                 "a: one\n",
	"umbrella/values.schema.json":          "{}",
	"umbrella/charts/inside/Chart.yaml":    "apiVersion: v2\nname: inside\nversion: 2.0.0\n",
	"umbrella/charts/inside/values.yaml":   "b: two\n",
	"umbrella/charts/unlisted/Chart.yaml":  "apiVersion: v2\nname: unlisted\nversion: 5.0.0\n",
	"umbrella/charts/also-here/Chart.yaml": "apiVersion: v2\nname: also-here\nversion: 6.0.0\n",
	"beside/Chart.yaml":                    "apiVersion: v2\nname: beside\nversion: 3.0.0\n",
}

const described = "gitops-runtime 1.2.3 map[a:one] schema [beside 3.0.0 map[] if beside.enabled] [renamed 2.0.0 map[b:two]] [packed 4.0.0 map[c:three]]" +
	" [also-here 6.0.0 map[]] [unlisted 5.0.0 map[]]"

func TestOf(t *testing.T) {
	root := testkit.Folder(t, umbrella)
	pack(t, filepath.Join(root, "umbrella/charts/packed-4.0.0.tgz"), map[string]string{
		"packed/Chart.yaml": "apiVersion: v2\nname: packed\nversion: 4.0.0\n", "packed/values.yaml": "c: three\n", "packed/templates/x.yaml": "{{",
	})
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(root, "umbrella")})
	require.NoError(t, err)
	assert.Equal(t, described, describe(helmchart.Of(loaded)))
}

// Helm installs the dependency in charts/, whatever its file:// repository contains.
func TestDependencyInChartsComesFirst(t *testing.T) {
	root := testkit.Folder(t, map[string]string{
		"c/Chart.yaml":          "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{name: d, version: 1.x, repository: \"file://../d\"}]\n",
		"c/charts/d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n",
		"d/Chart.yaml":          "apiVersion: v2\nname: d\nversion: 1.1.0\n",
	})
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(root, "c")})
	require.NoError(t, err)
	assert.Equal(t, "c 1.0.0 map[] [d 1.0.0 map[]]", describe(helmchart.Of(loaded)))
}

func TestLoadFromMemory(t *testing.T) {
	files := map[string][]byte{
		"Chart.yaml":          []byte("apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{name: d, version: 1.0.0}]\n"),
		"charts/d/Chart.yaml": []byte("apiVersion: v2\nname: d\nversion: 1.0.0\n"),
	}
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: "memory", Files: files})
	require.NoError(t, err)
	assert.Equal(t, "c 1.0.0 map[] [d 1.0.0 map[]]", describe(helmchart.Of(loaded)))

	delete(files, "charts/d/Chart.yaml")
	_, err = helmchart.Load(t.Context(), helmchart.Source{Name: "memory", Files: files})
	assert.ErrorContains(t, err, "chart memory needs its dependency d 1.0.0")
	_, err = helmchart.Load(t.Context(), helmchart.Source{Name: "memory", Files: map[string][]byte{}})
	assert.EqualError(t, err, "chart memory: Chart.yaml file is missing")
}

func TestFind(t *testing.T) {
	root := testkit.Folder(t, map[string]string{
		"repo/charts/gitops-runtime/Chart.yaml": "name: gitops-runtime\n", "repo/deep/er/x": "", "other/x": "",
	})
	want := filepath.Join(root, "repo/charts/gitops-runtime")
	for _, from := range []string{"repo", "repo/deep/er", "repo/charts/gitops-runtime"} {
		assert.Equal(t, want, helmchart.Find(filepath.Join(root, from)))
	}
	assert.Equal(t, "", helmchart.Find(filepath.Join(root, "other")))
}
