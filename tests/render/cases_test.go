package render_test

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

//go:embed testdata/cases.yaml
var casesText []byte

// difference is how a case differs from the case tunnel.
type difference struct {
	Lacks, Adds                       map[string][]string // names of objects by kind
	LacksPermissions, AddsPermissions map[string][]string // by ServiceAccount
	Fields                            map[string]map[string]any
}

// Each case has the objects, permissions and fields of testdata/cases.yaml; golden files show tunnel, everything enabled and everything disabled as a whole.
func TestCasesDifferAsListed(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		difference
		files []string
	}{
		"ingress": {files: []string{"ci/ingress-values.yaml"}}, "gateway": {files: []string{"ci/gateway-values.yaml"}}, "mesh": {files: []string{"ci/mesh-values.yaml"}},
		"ha": {files: []string{"ci/tunnel-values.yaml", "values-ha.yaml"}}, "large": {files: []string{"ci/tunnel-values.yaml", "values-large.yaml"}},
		"own-argo-cd": {files: []string{"ci/own-argo-cd-values.yaml"}}, "single-namespace": {files: []string{"ci/single-namespace-values.yaml"}},
	}
	var listed map[string]difference
	require.NoError(t, yaml.UnmarshalStrict(casesText, &listed))
	require.ElementsMatch(t, slices.Collect(maps.Keys(cases)), slices.Collect(maps.Keys(listed)))
	base := umbrella("tunnel", nil).Objects(t)
	for name, of := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := render.Release{Chart: "gitops-runtime", ChartFiles: of.files}.Objects(t)
			want := listed[name]
			assert.Equal(t, want.Lacks, missing(namesByKind(base), namesByKind(objects)), "objects that only tunnel has")
			assert.Equal(t, want.Adds, missing(namesByKind(objects), namesByKind(base)), "objects that tunnel does not have")
			before, after := permissions(t, base), permissions(t, objects)
			assert.Equal(t, want.LacksPermissions, missing(before, retain(after, before)), "permissions that only tunnel has")
			assert.Equal(t, want.AddsPermissions, missing(after, retain(before, after)), "permissions that tunnel does not have")
			for key, fields := range want.Fields {
				kind, object, _ := strings.Cut(key, " ")
				found := render.Find(objects, kind, object)
				require.NotNil(t, found, key)
				for path, value := range fields {
					assert.EqualValues(t, value, lookUp(t, found.Object, path), "%s: %s", key, path)
				}
			}
		})
	}
}

// namesByKind returns the names of the objects by kind, without definitions.
func namesByKind(objects []render.Object) map[string][]string {
	names := map[string][]string{}
	for _, object := range objects {
		if kind := object.GetKind(); kind != "CustomResourceDefinition" {
			names[kind] = append(names[kind], object.GetName())
		}
	}
	return names
}

// missing returns the sorted values of a that b does not have, by key; nil if there are none.
func missing(a, b map[string][]string) map[string][]string {
	var found map[string][]string
	for key, values := range a {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(values))) {
			if !slices.Contains(b[key], value) {
				if found == nil {
					found = map[string][]string{}
				}
				found[key] = append(found[key], value)
			}
		}
	}
	return found
}

// retain returns a with the keys of b that it lacks, so that the values of these keys are not missing in it.
func retain(a, b map[string][]string) map[string][]string {
	all := maps.Clone(b)
	maps.Copy(all, a)
	return all
}

// permissions returns what each subject of a binding may do: "VERB GROUP/RESOURCE NAME".
func permissions(t *testing.T, objects []render.Object) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for i := range objects {
		if kind := objects[i].GetKind(); kind != "RoleBinding" && kind != "ClusterRoleBinding" {
			continue
		}
		binding, err := render.As[rbacv1.RoleBinding](&objects[i])
		require.NoError(t, err)
		given := []string{"bound " + binding.RoleRef.Kind + " " + binding.RoleRef.Name}
		if found := render.Find(objects, binding.RoleRef.Kind, binding.RoleRef.Name); found != nil {
			rules := rbacv1.ClusterRole{}
			text, err := yaml.Marshal(found.Object)
			require.NoError(t, err)
			require.NoError(t, yaml.Unmarshal(text, &rules))
			given = flatten(rules.Rules)
		}
		for _, subject := range binding.Subjects {
			all[subject.Name] = append(all[subject.Name], given...)
		}
	}
	return all
}

// flatten returns one text for each verb on each resource.
func flatten(rules []rbacv1.PolicyRule) []string {
	var all []string
	for _, rule := range rules {
		for _, group := range append(rule.APIGroups, make([]string, len(rule.NonResourceURLs))...) {
			for _, resource := range append(rule.Resources, rule.NonResourceURLs...) {
				for _, name := range strings.Split(strings.Join(rule.ResourceNames, "\n"), "\n") {
					for _, verb := range rule.Verbs {
						all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", verb, strings.TrimPrefix(group+"/"+resource, "/"), name)))
					}
				}
			}
		}
	}
	return all
}
