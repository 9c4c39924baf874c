package helmchart_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
)

var umbrella = map[string]string{
	"umbrella/Chart.yaml": `name: gitops-runtime
version: 1.2.3
appVersion: 1.2.3
dependencies:
  - {name: beside, version: 1, repository: "file://../beside", condition: beside.enabled}
  - {name: inside, version: 1, alias: renamed}
  - {name: packed, version: 1}
  - {name: nowhere, version: 1}
`,
	"umbrella/values.yaml":               "a: 1\n",
	"umbrella/values.schema.json":        "{}",
	"umbrella/charts/inside/Chart.yaml":  "name: inside\nversion: 2.0.0\n",
	"umbrella/charts/inside/values.yaml": "b: 2\n",
	"beside/Chart.yaml":                  "name: beside\nversion: 3.0.0\n",
}

func TestLoad(t *testing.T) {
	root := write(t, umbrella)
	pack(t, filepath.Join(root, "umbrella/charts/packed-1.0.0.tgz"), map[string]string{
		"packed/Chart.yaml": "name: packed\nversion: 4.0.0\n", "packed/values.yaml": "c: 3\n", "packed/templates/x.yaml": "{{",
	})
	loaded, err := helmchart.Load(t.Context(), filepath.Join(root, "umbrella"))
	require.NoError(t, err)
	assert.Equal(t, "gitops-runtime 1.2.3 map[a:1] schema [beside 3.0.0 map[] if beside.enabled] [renamed 2.0.0 map[b:2]] [packed 4.0.0 map[c:3]]", describe(loaded))
}

func TestLoadPackage(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "chart.tgz")
	pack(t, archive, map[string]string{
		"umbrella/Chart.yaml":               "name: umbrella\nversion: 1.0.0\ndependencies: [{name: inside}]\n",
		"umbrella/charts/inside/Chart.yaml": "name: inside\nversion: 2.0.0\n",
	})
	loaded, err := helmchart.Load(t.Context(), archive)
	require.NoError(t, err)
	assert.Equal(t, "umbrella 1.0.0 map[] [inside 2.0.0 map[]]", describe(loaded))
}

func TestLoadErrors(t *testing.T) {
	root := write(t, map[string]string{
		"empty/x": "", "broken/Chart.yaml": "a: [", "values/Chart.yaml": "name: x", "values/values.yaml": "- 1", "not.tgz": "no archive",
	})
	for name, want := range map[string]string{
		"absent":  "absent: no such directory or .tgz file",
		"empty":   "empty is not a chart: it has no Chart.yaml",
		"broken":  "Chart.yaml: error converting",
		"values":  "values.yaml: error unmarshaling",
		"not.tgz": "not a packaged chart",
	} {
		_, err := helmchart.Load(t.Context(), filepath.Join(root, name))
		assert.ErrorContains(t, err, want, name)
	}
	const want = "chart https://charts.example.com/x.tgz: a chart is a directory, a .tgz file or an oci:// reference; fetch this one with `helm pull` first"
	_, err := helmchart.Load(t.Context(), "https://charts.example.com/x.tgz")
	assert.EqualError(t, err, want)
}

func TestFind(t *testing.T) {
	root := write(t, map[string]string{
		"repo/charts/gitops-runtime/Chart.yaml": "name: gitops-runtime\n", "repo/deep/er/x": "", "other/x": "",
	})
	want := filepath.Join(root, "repo/charts/gitops-runtime")
	for _, from := range []string{"repo", "repo/deep/er", "repo/charts/gitops-runtime"} {
		assert.Equal(t, want, helmchart.Find(filepath.Join(root, from)))
	}
	assert.Equal(t, "", helmchart.Find(filepath.Join(root, "other")))
}
