package published

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/render"
)

// immutable are the fields that the API server does not allow to change, by kind.
var immutable = map[string][][]string{
	"Deployment":         {{"spec", "selector"}},
	"StatefulSet":        {{"spec", "selector"}, {"spec", "serviceName"}, {"spec", "volumeClaimTemplates"}, {"spec", "podManagementPolicy"}, {"spec", "revisionHistoryLimit"}},
	"RoleBinding":        {{"roleRef"}},
	"ClusterRoleBinding": {{"roleRef"}},
	"Service":            {{"spec", "clusterIP"}},
	"Secret":             {{"type"}},
	"Job":                {{"spec", "selector"}, {"spec", "template"}, {"spec", "completions"}},
}

// differing returns the immutable fields in which two versions of an object differ.
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

// same compares fields, and treats empty and absent as equal.
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

// An upgrade from a release with the contract's names changes no immutable field of an object in both.
func TestUpgradeChangesNothingImmutable(t *testing.T) {
	t.Parallel()
	before, err := Objects(Options{Release: "cf", Namespace: "codefresh", Runtime: "test-runtime", Account: "test-account", Image: "standin:dev"})
	require.NoError(t, err)
	after := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}.Objects(t)
	changed, both := changes(before, after)
	require.Empty(t, changed)
	require.Greater(t, both, 50, "objects that both have")
}

// The same applies to an upgrade from a release of argo-helm's charts to those of this repository. The test counts the objects in both, so that a
// changed name is noticed.
func TestUpgradeFromTheCommunityChangesNothingImmutable(t *testing.T) {
	t.Parallel()
	for chart, common := range map[string]int{"argo-cd": 28, "argo-rollouts": 4, "argo-workflows": 8, "argo-events": 2} {
		before, err := Community(chart, Options{Release: "rel", Namespace: "space", Image: "standin:dev"})
		require.NoError(t, err)
		changed, both := changes(before, render.Release{Chart: chart, Name: "rel", Namespace: "space"}.Objects(t))
		require.Empty(t, changed, chart)
		require.Equal(t, common, both, "objects that both %s have", chart)
	}
}

// changes returns the immutable fields that differ, and how many objects are in both.
func changes(before []*unstructured.Unstructured, after []render.Object) (changed []string, both int) {
	for _, old := range before {
		now := render.Find(after, old.GetKind(), old.GetName())
		if now == nil {
			continue
		}
		both++
		changed = append(changed, differing(old, now)...)
	}
	return changed, both
}

// The comparison finds a changed selector.
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
