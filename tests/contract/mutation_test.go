package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/facts"
)

// A field of a rendered object that is removed or changed changes a fact, which the comparison reports unless the fact is ignored or accepted.
func TestAMutationIsFound(t *testing.T) {
	t.Parallel()
	comparison, err := NewComparison()
	require.NoError(t, err)
	renderer, err := NewRenderer(t.Context())
	require.NoError(t, err)
	tried, reported := 0, 0
	for _, name := range []string{Base, "httproute", "argo-ha"} {
		mode := modeOf(t, name)
		manifests, err := renderer.manifests(mode.Values)
		require.NoError(t, err)
		for document := range strings.SplitSeq("\n"+strings.Join(manifests, "\n---\n"), "\n---") {
			var object map[string]any
			if strings.Contains(document, "\nkind: CustomResourceDefinition\n") {
				continue
			}
			require.NoError(t, yaml.Unmarshal([]byte(document), &object))
			before := facts.Of([]map[string]any{object})
			mutate(object, func(path string) {
				tried++
				changed := facts.Diff(before, facts.Of([]map[string]any{object}))
				twice := strings.HasPrefix(path, "rules[") // another rule may grant the same
				assert.True(t, twice || len(changed) > 0, "%s: %v: %s is no part of a fact", name, object["metadata"], path)
				for _, change := range changed {
					if _, compared := mode.Facts[change.Object][change.Path]; compared && !comparison.accepted(mode, change) {
						reported++
						return
					}
				}
			})
		}
	}
	t.Logf("%d mutations, %d of facts of the published chart that no entry accepts", tried, reported)
	assert.Greater(t, tried, 20_000)
	assert.Greater(t, reported, 4_000)
}

func modeOf(t *testing.T, name string) Mode {
	t.Helper()
	modes, err := Modes(Version)
	require.NoError(t, err)
	at := slices.IndexFunc(modes, func(m Mode) bool { return m.Name == name })
	require.GreaterOrEqual(t, at, 0)
	return modes[at]
}

// mutate removes each field of an object, and changes each scalar, calls found each time, and restores the object.
func mutate(object map[string]any, found func(path string)) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key == "kind" || key == "status" {
			continue
		}
		fields := object
		if key == "metadata" {
			fields = object[key].(map[string]any)
			for _, key := range []string{"labels", "annotations"} {
				if below, ok := fields[key].(map[string]any); ok {
					mutateMap("metadata."+key, below, found)
				}
			}
			continue
		}
		mutateValue(key, fields[key], func(value any) { fields[key] = value }, found)
	}
}

func mutateMap(path string, fields map[string]any, found func(string)) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		old := fields[key]
		if old == nil || key == "apiGroup" {
			continue
		}
		if !slices.Contains([]string{"false", "", "[]", "map[]"}, fmt.Sprint(old)) && !slices.Contains([]string{"protocol", "targetPort", "namespace"}, key) { // the same as none
			delete(fields, key)
			found(path + "." + key + " is removed")
			fields[key] = old
		}
		mutateValue(path+"."+key, old, func(value any) { fields[key] = value }, found)
	}
}

func mutateValue(path string, value any, set func(any), found func(string)) {
	switch at := value.(type) {
	case map[string]any:
		mutateMap(path, at, found)
	case []any:
		for i, item := range at {
			set(slices.Delete(slices.Clone(at), i, i+1))
			found(fmt.Sprintf("%s[%d] is removed", path, i))
			set(at)
			mutateValue(fmt.Sprintf("%s[%d]", path, i), item, func(value any) { at[i] = value }, found)
		}
	case bool:
		set(!at)
		found(path + " is negated")
		set(at)
	case float64:
		set(at + 1)
		found(path + " is greater")
		set(at)
	case string:
		set("changed")
		found(path + " is another text")
		set(at)
	}
}
