package overridecmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/testkit"
)

// postRendered is a chart with a workload and a hook, whose images no value sets.
var postRendered = map[string]string{
	"Chart.yaml": "{apiVersion: v2, name: fixed, version: 1.0.0}\n",
	"templates/pod.yaml": `apiVersion: v1
kind: Pod
metadata:
  name: pod
spec:
  containers:
    - name: main
      image: quay.io/a/b:1
`,
	"templates/hook.yaml": `apiVersion: v1
kind: Pod
metadata:
  name: hook
  annotations:
    helm.sh/hook: pre-install
spec:
  containers:
    - name: main
      image: quay.io/a/hook:1
`,
}

// asHelm runs a version of Helm with the program in its PATH and with the test's own settings, and returns its output and error output.
func asHelm(t *testing.T, version string, args ...string) (out, said string, err error) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "bin", version))
	require.NoError(t, err)
	require.FileExists(t, path, "run make bin/%s first", version)
	command := exec.CommandContext(t.Context(), path, args...)
	command.Env = append(os.Environ(), asProgram+"=1")
	var printed, told strings.Builder
	command.Stdout, command.Stderr = &printed, &told
	err = command.Run()
	return printed.String(), told.String(), err
}

// With the same command line, Helm 3 runs the program and Helm 4 the plugin. Only Helm 4 passes hooks to a post-renderer.
func TestHelmPostRenders(t *testing.T) {
	chart, bin, settings := testkit.Folder(t, postRendered), t.TempDir(), t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "image-override")))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HELM_PLUGINS", filepath.Join(settings, "data", "plugins"))
	t.Setenv("HELM_CACHE_HOME", filepath.Join(settings, "cache"))
	t.Setenv("HELM_CONFIG_HOME", filepath.Join(settings, "config"))
	t.Setenv("HELM_DATA_HOME", filepath.Join(settings, "data"))
	table := tableOf(t, []mapping.Pair{
		{Source: "quay.io/a/b:1", Target: "reg.corp:5000/quay.io/a/b:1"},
		{Source: "quay.io/a/hook:1", Target: "reg.corp:5000/quay.io/a/hook:1"},
	})
	render := func(table string) []string {
		return []string{"template", "fixed", chart, "--post-renderer", "image-override", "--post-renderer-args", "post-render", "--post-renderer-args", table}
	}

	_, said, err := asHelm(t, "helm-4", render(table)...)
	require.Error(t, err, "without the plugin")
	require.Contains(t, said, "image-override")
	out, said, err := asHelm(t, "helm-4", "plugin", "install", filepath.Join("..", "plugins", "image-override"))
	require.NoError(t, err, said)
	require.Contains(t, out, "Installed plugin: image-override\n")
	out, said, err = asHelm(t, "helm-4", "plugin", "list")
	require.NoError(t, err, said)
	require.Regexp(t, `(?m)^image-override\s+\d+\.\d+\.\d+\s+postrenderer/v1\s`, out)

	for version, hook := range map[string]string{"helm": "quay.io/a/hook:1", "helm-4": "reg.corp:5000/quay.io/a/hook:1"} {
		out, said, err := asHelm(t, version, render(table)...)
		require.NoError(t, err, said)
		assert.ElementsMatch(t, []string{"reg.corp:5000/quay.io/a/b:1", hook}, imagesOf(out), version)
		_, _, err = asHelm(t, version, render(table+".gone")...)
		assert.Error(t, err, "%s renders with a missing table", version)
	}
}

// imagesOf returns the images in manifests, in order.
func imagesOf(manifests string) []string {
	var found []string
	for line := range strings.Lines(manifests) {
		if _, image, ok := strings.Cut(line, " image: "); ok {
			found = append(found, strings.TrimSpace(image))
		}
	}
	return found
}
