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

// longestLine is the maximum length of a line in a template.
const longestLine = 140

// products matches words that the library chart common must not contain.
var products = regexp.MustCompile(`(?i)argo|codefresh|gitops|tunnel|router|\bruntime\b|app-?proxy|sealed`)

// The library chart common names no product; templates for the runtime's charts belong to runtime-common.
func TestCommonNamesNoProduct(t *testing.T) {
	t.Parallel()
	for name, text := range chartFiles(t, "common") {
		if filepath.Base(name) == "Chart.yaml" {
			continue // its annotations contain the URL of the repository
		}
		for number, line := range strings.Split(text, "\n") {
			assert.NotRegexp(t, products, line, "%s:%d", name, number+1)
		}
	}
}

func TestTemplateLinesAreShort(t *testing.T) {
	t.Parallel()
	for name, text := range chartFiles(t, "") {
		if !strings.Contains(name, "/templates/") || filepath.Base(name) == "_stale.tpl" { // generated from sentences
			continue
		}
		for number, line := range strings.Split(text, "\n") {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), longestLine, "%s:%d", name, number+1)
		}
	}
}

// Every pod of the umbrella chart, including hooks and Jobs, has the pod settings of global.
func TestEveryPodFollowsGlobal(t *testing.T) {
	t.Parallel()
	objects := render.Release{
		Chart: "gitops-runtime", Files: []string{"everything-on"},
		Set: map[string]string{
			"argo-workflows.crds.upgradeJob.crdBaseURL": "https://crds.example.com",
			"global.nodeSelector.pool":                  "runtime",
			"global.noProxy":                            "a.example.com",
		},
		SetJSON: map[string]string{
			"global.priorityClassName": `"sample"`,
			"global.podLabels":         `{"sample": "label"}`,
			"global.podAnnotations":    `{"sample": "annotation"}`,
			"global.hostAliases":       `[{"ip": "192.0.2.1", "hostnames": ["sample"]}]`,
			"global.env":               `[{"name": "SAMPLE", "value": "yes"}]`,
			"global.tolerations":       `[{"key": "runtime", "operator": "Exists"}]`,
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
		assert.Equal(t, "sample", template.Spec.PriorityClassName, name)
		assert.Equal(t, "label", template.Labels["sample"], name)
		assert.Equal(t, "annotation", template.Annotations["sample"], name)
		assert.Equal(t, []corev1.HostAlias{{IP: "192.0.2.1", Hostnames: []string{"sample"}}}, template.Spec.HostAliases, name)
		assert.Equal(t, "runtime", template.Spec.NodeSelector["pool"], name)
		assert.Contains(t, template.Spec.Tolerations, corev1.Toleration{Key: "runtime", Operator: corev1.TolerationOpExists}, name)
		assert.Contains(t, template.Spec.ImagePullSecrets, corev1.LocalObjectReference{Name: "registry"}, name)
		assert.Contains(t, template.Spec.Containers[0].Env, corev1.EnvVar{Name: "SAMPLE", Value: "yes"}, name)
		for _, container := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
			for _, variable := range container.Env {
				if variable.Name == "NO_PROXY" {
					assert.Contains(t, variable.Value, "a.example.com,localhost,127.0.0.1,::1,$(KUBERNETES_SERVICE_HOST),.svc,.cluster.local", name)
				}
			}
		}
	}
	assert.Equal(t, 4, pods["Job"], "the hooks and the Job for the CRDs of Argo Workflows")
	assert.Greater(t, pods["Deployment"], 15)
	assert.Greater(t, pods["StatefulSet"], 0)
}

// chartFiles returns the files of a chart, or of all charts, by path below charts/, without packed dependencies.
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
