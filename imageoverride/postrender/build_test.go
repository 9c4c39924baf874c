package postrender_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/testkit"
)

// TestKustomizeBuilds applies the component to the manifests with the kustomize library: every image of the result is in the registry.
func TestKustomizeBuilds(t *testing.T) {
	const chart, private = "../testdata/trap", "reg.corp:5000/x"
	result, err := generate.Run(context.Background(), generate.Options{Chart: chart, Registry: private})
	require.NoError(t, err)
	require.NotEmpty(t, result.Outside)
	loaded, err := helmchart.Load(context.Background(), helmchart.Source{Name: chart})
	require.NoError(t, err)
	renderer, err := chartrender.NewRenderer(loaded, chartrender.Settings{})
	require.NoError(t, err)
	output, err := renderer.RenderWithHelm(context.Background(), result.Values)
	require.NoError(t, err)
	objects := map[string]bool{}
	var manifests strings.Builder
	for _, document := range output.Documents {
		fields, err := locate.Fields(document, func(text string) string { return text })
		require.NoError(t, err)
		if object := fields[0].Object.String(); !objects[object] {
			objects[object] = true // a subchart that is included twice renders an object twice
			manifests.WriteString("---\n" + document.Text + "\n")
		}
	}
	folder := testkit.Folder(t, map[string]string{
		"kustomization.yaml":        "resources: [all.yaml]\ncomponents: [images]\n",
		"all.yaml":                  manifests.String(),
		"images/kustomization.yaml": string(result.Files[generate.PatchFile]),
	})
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	require.NoError(t, err)
	text, err := built.AsYaml()
	require.NoError(t, err)

	mapper, err := mapping.New(private, mapping.HostPrefix, nil)
	require.NoError(t, err)
	index, count := locate.NewIndex(), 0
	for _, part := range strings.Split(string(text), "\n---\n") {
		found, err := index.Find([]chartrender.Document{{Template: "built", Text: part}}, []string{"reg.corp:5000"})
		require.NoError(t, err)
		for _, location := range found.Locations {
			count++
			require.True(t, mapper.Private(location.Image), "%s %s: %s", location.Field.Object, location.Field.Path, location.Text())
		}
	}
	require.Greater(t, count, 40)
}
