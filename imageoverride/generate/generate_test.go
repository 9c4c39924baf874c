package generate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
)

// chartOf writes a chart with a number of images, each in a Deployment.
func chartOf(t testing.TB, images int) string {
	t.Helper()
	folder := t.TempDir()
	var values strings.Builder
	values.WriteString("registry: quay.io\n")
	for i := range images {
		fmt.Fprintf(&values, "app%d: {image: {repository: team/app%d, tag: v%d}}\n", i, i, i%5)
	}
	template := `{{ range $name, $app := .Values }}{{ if ne $name "registry" }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ $name }}}
spec:
  template:
    spec:
      containers: [{name: app, image: "{{ $.Values.registry }}/{{ $app.image.repository }}:{{ $app.image.tag }}"}]
{{ end }}{{ end }}`
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "templates"), 0o755))
	for name, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: many\nversion: 0.1.0\n", "values.yaml": values.String(), "templates/all.yaml": template,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	return folder
}

func TestExtraImages(t *testing.T) {
	options := generate.Options{Chart: chartOf(t, 1), Registry: "reg.corp", ExtraImages: []string{"busybox:1", "quay.io/team/app0:v0"}}
	result, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	require.Equal(t, []mapping.Pair{
		{Source: "docker.io/library/busybox:1", Target: "reg.corp/docker.io/library/busybox:1"},
		{Source: "quay.io/team/app0:v0", Target: "reg.corp/quay.io/team/app0:v0"},
	}, result.Mirror)
	options.ExtraImages = []string{"Bad Image"}
	_, err = generate.Run(context.Background(), options)
	require.ErrorContains(t, err, `extra image: "Bad Image" is not an image reference`)
}

func TestWriteRemovesAPatchNoLongerNeeded(t *testing.T) {
	folder := t.TempDir()
	stale := filepath.Join(folder, generate.PatchFile)
	require.NoError(t, os.WriteFile(stale, []byte("old"), 0o644))
	result, err := generate.Run(context.Background(), generate.Options{Chart: chartOf(t, 1), Registry: "reg.corp"})
	require.NoError(t, err)
	path, err := result.Write(folder)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(folder, generate.NoTagsFile), path)
	require.NoFileExists(t, stale)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 4)

	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o644))
	_, err = result.Write(filepath.Join(folder, "file"))
	require.ErrorContains(t, err, "cannot be created")
}

func TestScenariosWithOneName(t *testing.T) {
	same := []generate.Scenario{{Name: "a"}, {Name: "a"}}
	_, err := generate.Run(context.Background(), generate.Options{Chart: chartOf(t, 1), Registry: "reg.corp", Scenarios: same})
	require.EqualError(t, err, "scenario a is defined twice; use each name once")
}
