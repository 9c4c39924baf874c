package render_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// TestNothingImmutableChanges tests that every workload of the previous release exists with the same immutable fields, so that an upgrade neither
// fails nor has to recreate workloads.
func TestNothingImmutableChanges(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	for _, mode := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			values := filepath.Join(root, "charts", "gitops-runtime", "ci", mode+"-values.yaml")
			previous := render.Release{Chart: filepath.Join("..", "tests", "e2e", "cases", "testdata", "previous-release.tgz"), Values: []string{values}}
			before := immutable(t, previous.Objects(t))
			require.NotEmpty(t, before)
			now := immutable(t, umbrella(mode, nil).Objects(t))
			for name, fields := range before {
				assert.Equal(t, fields, now[name], name)
			}
		})
	}
}

// immutable returns the fields of workloads that Kubernetes does not allow to change, by kind and name.
func immutable(t *testing.T, objects []render.Object) map[string]map[string]any {
	t.Helper()
	fields := map[string][]string{
		"Deployment": {"selector"}, "DaemonSet": {"selector"},
		"StatefulSet": {"selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates"},
	}
	found := map[string]map[string]any{}
	for _, object := range objects {
		for _, name := range fields[object.GetKind()] {
			value, _, err := unstructured.NestedFieldNoCopy(object.Object, "spec", name)
			require.NoError(t, err)
			key := object.GetKind() + "/" + object.GetName()
			if found[key] == nil {
				found[key] = map[string]any{}
			}
			found[key][name] = value
		}
	}
	return found
}
