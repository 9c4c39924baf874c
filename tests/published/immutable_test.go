package published

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/render"
)

// immutable are the fields that the API server lets nobody change, by kind.
var immutable = map[string][][]string{
	"Deployment":         {{"spec", "selector"}},
	"StatefulSet":        {{"spec", "selector"}, {"spec", "serviceName"}, {"spec", "volumeClaimTemplates"}, {"spec", "podManagementPolicy"}},
	"RoleBinding":        {{"roleRef"}},
	"ClusterRoleBinding": {{"roleRef"}},
	"Service":            {{"spec", "clusterIP"}},
	"Secret":             {{"type"}},
}

// differing are the immutable fields of an object that another of its name has otherwise.
func differing(before, after *unstructured.Unstructured) []string {
	var found []string
	for _, path := range immutable[before.GetKind()] {
		old, _, _ := unstructured.NestedFieldNoCopy(before.Object, path...)
		now, _, _ := unstructured.NestedFieldNoCopy(after.Object, path...)
		if !same(old, now) {
			found = append(found, before.GetKind()+"/"+before.GetName()+" "+path[len(path)-1])
		}
	}
	return found
}

// same compares fields of which an empty one is as good as none.
func same(a, b any) bool {
	text := func(value any) string {
		object := &unstructured.Unstructured{Object: map[string]any{"kind": "Field", "value": value}}
		if value == nil || value == "" {
			object.Object["value"] = nil
		}
		written, err := object.MarshalJSON()
		if err != nil {
			return err.Error()
		}
		return string(written)
	}
	return text(a) == text(b)
}

// An upgrade from a release with the contract's names changes no immutable field of an object that both have.
func TestUpgradeChangesNothingImmutable(t *testing.T) {
	t.Parallel()
	before, err := Objects(Options{Release: "cf", Namespace: "codefresh", Runtime: "test-runtime", Account: "test-account", Image: "standin:dev"})
	require.NoError(t, err)
	after := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}.Objects(t)
	var changed []string
	both := 0
	for _, old := range before {
		now := render.Find(after, old.GetKind(), old.GetName())
		if now == nil {
			continue
		}
		both++
		changed = append(changed, differing(old, now)...)
	}
	require.Empty(t, changed)
	require.Greater(t, both, 50, "objects that both have")
}

// The comparison finds what it is for.
func TestDiffering(t *testing.T) {
	t.Parallel()
	object := func(selector string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"kind": "Deployment", "metadata": map[string]any{"name": "a"},
			"spec": map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"app": selector}}},
		}}
	}
	require.Empty(t, differing(object("a"), object("a")))
	require.Equal(t, []string{"Deployment/a selector"}, differing(object("a"), object("b")))
}
