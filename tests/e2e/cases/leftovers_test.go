package e2e_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/e2e/cases"
)

// The search for leftovers covers the resource of every object outside of namespaces that a golden case renders.
func TestLeftoversCoverTheGoldenFiles(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	var files []string
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "tests", "golden", "testdata"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			files = append(files, path)
		}
		return err
	}))
	covered := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var object metav1.PartialObjectMetadata
			require.NoError(t, yaml.Unmarshal([]byte(document), &object), file)
			if object.Namespace != "" || object.Kind == "" {
				continue
			}
			resource, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
			assert.True(t, e2e.CreatedByReleases(resource.GroupResource()), "%s %s", object.Kind, object.Name)
			covered[resource.Resource] = true
		}
	}
	assert.Equal(t, map[string]bool{"clusterroles": true, "clusterrolebindings": true}, covered)
}

func TestCreatedByReleases(t *testing.T) {
	t.Parallel()
	for resource, want := range map[schema.GroupResource]bool{
		{Group: "argoproj.io", Resource: "clusterworkflowtemplates"}:           true,
		{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}: true,
		{Resource: "persistentvolumes"}:                                        true,
		{Resource: "nodes"}:                                                    false,
		{Resource: "namespaces"}:                                               false,
		{Group: "networking.k8s.io", Resource: "ipaddresses"}:                  false,
		{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}: false,
		{Group: "example.com", Resource: "customresourcedefinitions"}:          false,
	} {
		assert.Equal(t, want, e2e.CreatedByReleases(resource), resource.String())
	}
}
