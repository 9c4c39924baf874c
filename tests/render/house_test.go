package render_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// longestLine is the most characters a line of a template may have.
const longestLine = 140

// products are the words that the library chart common does not know.
var products = regexp.MustCompile(`(?i)argo|codefresh|gitops|tunnel|router|\bruntime\b|app-?proxy|sealed`)

// The library chart common serves any chart: what only the charts of the runtime share is in runtime-common.
func TestCommonNamesNoProduct(t *testing.T) {
	t.Parallel()
	for name, text := range chartFiles(t, "common") {
		if filepath.Base(name) == "Chart.yaml" {
			continue // its annotations name the repository
		}
		for number, line := range strings.Split(text, "\n") {
			assert.NotRegexp(t, products, line, "%s:%d", name, number+1)
		}
	}
}

func TestTemplateLinesAreShort(t *testing.T) {
	t.Parallel()
	for name, text := range chartFiles(t, "") {
		if !strings.Contains(name, "/templates/") {
			continue
		}
		for number, line := range strings.Split(text, "\n") {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), longestLine, "%s:%d", name, number+1)
		}
	}
}

// Pods are built in one place: what global says of pods, every pod of the umbrella chart has, those of hooks and Jobs too.
func TestEveryPodFollowsGlobal(t *testing.T) {
	t.Parallel()
	objects := render.Release{
		Chart: "gitops-runtime", Files: []string{"everything-on"},
		Set: map[string]string{"argo-workflows.crds.upgradeJob.crdBaseURL": "https://crds.example.com"},
		SetJSON: map[string]string{
			"global.priorityClassName": `"alike"`,
			"global.podLabels":         `{"alike": "label"}`,
			"global.podAnnotations":    `{"alike": "annotation"}`,
			"global.hostAliases":       `[{"ip": "192.0.2.1", "hostnames": ["alike"]}]`,
			"global.env":               `[{"name": "ALIKE", "value": "yes"}]`,
		},
	}.Objects(t)
	pods := map[string]int{}
	for _, object := range objects {
		pod, found, err := unstructured.NestedMap(object.Object, "spec", "template")
		if err != nil || !found || !slices.Contains([]string{"Deployment", "StatefulSet", "Job", "CronJob", "DaemonSet"}, object.GetKind()) {
			continue
		}
		pods[object.GetKind()]++
		template, err := render.As[corev1.PodTemplateSpec](&render.Object{Object: pod})
		require.NoError(t, err)
		name := object.GetKind() + "/" + object.GetName()
		assert.Equal(t, "alike", template.Spec.PriorityClassName, name)
		assert.Equal(t, "label", template.Labels["alike"], name)
		assert.Equal(t, "annotation", template.Annotations["alike"], name)
		assert.Equal(t, []corev1.HostAlias{{IP: "192.0.2.1", Hostnames: []string{"alike"}}}, template.Spec.HostAliases, name)
		assert.Contains(t, template.Spec.Containers[0].Env, corev1.EnvVar{Name: "ALIKE", Value: "yes"}, name)
	}
	assert.Equal(t, 4, pods["Job"], "the hooks and the Job of Argo Workflows' definitions")
	assert.Greater(t, pods["Deployment"], 15)
	assert.Greater(t, pods["StatefulSet"], 0)
}

// chartFiles are the files of a chart, or of all charts, by path below charts/; what is packed from other charts is left out.
func chartFiles(t *testing.T, chart string) map[string]string {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	charts := filepath.Join(root, "charts")
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(filepath.Join(charts, chart), func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(charts, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if strings.Count(name, "/") == 1 && entry.Name() == "charts" {
				return filepath.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	}))
	require.NotEmpty(t, files)
	return files
}
