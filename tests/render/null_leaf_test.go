package render_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// Every value of every chart may be null, with which Helm takes its default away: the chart renders without it, or its schema asks for it.
// No template reads what is not there.
func TestNullOfEveryLeafIsTakenOrRefused(t *testing.T) {
	t.Parallel()
	for chart, file := range map[string][]string{
		"argo-cd": nil, "argo-events": nil, "argo-rollouts": nil, "argo-workflows": nil,
		"tunnel-client": {"tunnel"}, "tunnel-server": {"default"}, "gitops-runtime": {"tunnel"},
	} {
		t.Run(chart, func(t *testing.T) {
			t.Parallel()
			leaves := leavesOf(t, chart)
			try := func(paths []string) error {
				set := map[string]string{}
				for _, path := range paths {
					set[path] = "null"
				}
				return render.Release{Chart: chart, Files: file, SetJSON: set}.Try(t)
			}
			var search func(paths []string)
			search = func(paths []string) {
				err := try(paths)
				if err == nil || len(paths) == 0 {
					return
				}
				if len(paths) > 1 {
					search(paths[:len(paths)/2])
					search(paths[len(paths)/2:])
					return
				}
				assert.NotRegexp(t, `nil pointer|wrong type for value|error calling|incompatible types`, sentenceOf(err), "%s=null", paths[0])
			}
			search(leaves)
			require.NotEmpty(t, leaves)
		})
	}
}

// sentenceOf is what the user reads of an error: what a template says after its place.
func sentenceOf(err error) string {
	_, sentence, refused := strings.Cut(err.Error(), "execution error at ")
	if refused {
		return sentence
	}
	return err.Error()
}

// leavesOf are the paths of a chart's own values that are not maps.
func leavesOf(t *testing.T, chart string) (leaves []string) {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "charts", chart, "values.yaml"))
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, yaml.Unmarshal(text, &values))
	var walk func(values map[string]any, path string)
	walk = func(values map[string]any, path string) {
		for key, value := range values {
			at := path + strings.ReplaceAll(key, ".", `\.`)
			if below, isMap := value.(map[string]any); isMap && len(below) > 0 {
				walk(below, at+".")
				continue
			}
			leaves = append(leaves, at)
		}
	}
	walk(values, "")
	slices.Sort(leaves)
	return leaves
}
