package generate_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/internal/testkit"
)

// TestDuplicateKeysAreWarnedOf: the last of duplicate keys is used, as in Helm, and a warning names the file, the key and the line.
func TestDuplicateKeysAreWarnedOf(t *testing.T) {
	folder := t.TempDir()
	chart, user, other := filepath.Join(folder, "twice"), filepath.Join(folder, "user.yaml"), filepath.Join(folder, "other.yaml")
	testkit.WriteFile(t, filepath.Join(chart, "Chart.yaml"), "apiVersion: v2\nname: twice\nversion: 0.1.0\n")
	testkit.WriteFile(t, filepath.Join(chart, "values.yaml"), "image: quay.io/a/first:1\nimage: quay.io/a/last:1\nmore: quay.io/a/more:1\n")
	testkit.WriteFile(t, filepath.Join(chart, "charts/below/Chart.yaml"), "apiVersion: v2\nname: below\nversion: 0.1.0\n")
	testkit.WriteFile(t, filepath.Join(chart, "charts/below/values.yaml"), "a:\n  b: 1\n  b: 2\n")
	testkit.WriteFile(t, filepath.Join(chart, "templates/p.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n    - name: c\n      image: {{ .Values.image }}\n      name: d\n    - image: {{ .Values.more }}\n")
	testkit.WriteFile(t, user, "more: quay.io/a/one:1\nmore: quay.io/a/two:1\n")
	testkit.WriteFile(t, other, "x: {y: 1, y: 2}\n")
	result, err := generate.Run(context.Background(), generate.Options{
		Chart: chart, Registry: private,
		Values:    generate.Values{Files: []string{user, "-"}, In: strings.NewReader("in: 1\n\nin: 2\n")},
		Scenarios: []generate.Scenario{scenario("other", other)},
	})
	require.NoError(t, err)
	require.True(t, result.Complete())
	require.Equal(t, []string{
		"twice/values.yaml, line 2: key image is also on line 1; Helm uses the last one",
		"twice/charts/below/values.yaml, line 3: key a.b is also on line 2; Helm uses the last one",
		"standard input, line 3: key in is also on line 1; Helm uses the last one",
		other + ", line 1: key x.y is also on line 1; Helm uses the last one",
		user + ", line 2: key more is also on line 1; Helm uses the last one",
		"template twice/templates/p.yaml renders key name of one map twice (manifest 1, line 8); the last one counts",
	}, result.Warnings)
	require.Equal(t, map[string]any{"image": private + "/quay.io/a/last:1", "more": private + "/quay.io/a/two:1"}, result.Values)
}
