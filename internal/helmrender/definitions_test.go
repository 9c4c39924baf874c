package helmrender_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/releaseutil"

	"gitops-runtime/internal/helmrender"
)

// CRDs are sorted and formatted as in Helm, for any order of their fields; tests/e2e/upstream compares complete releases.
func TestDefinitionsAreSortedAsHelmDoes(t *testing.T) {
	cases := map[string]string{
		"a definition":                "apiVersion: a/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: b\nspec:\n  group: g\n\n",
		"several in one file":         "\n---\nkind: CustomResourceDefinition\nmetadata: {name: b}\nspec: {a: 1}\n--- \nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {a: 2}\nstatus: {}\n---\nkind: Secret\nmetadata: {name: z}\nspec: {}\n",
		"metadata at the end":         "kind: CustomResourceDefinition\nspec: {a: 1}\nmetadata: {name: c}\n",
		"kind at the end":             "metadata: {name: c}\nspec: {a: 1}\nkind: CustomResourceDefinition\n",
		"no spec":                     "\nkind: CustomResourceDefinition\nmetadata: {name: c}\n",
		"a hook":                      "\nkind: CustomResourceDefinition\nmetadata: {name: c, annotations: {helm.sh/hook: pre-install}}\nspec: {a: 1}\n",
		"similar text in a ConfigMap": "kind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: |\n    kind: CustomResourceDefinition\n    spec: {}\n",
		"more than ten definitions":   many(12),
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			of := &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "c", Version: "1.0.0"}, Templates: []*chart.File{{Name: "templates/a.yaml", Data: []byte(text)}}}
			made, err := helmrender.New(of).Release(nil, helmrender.Options{Name: "a", Namespace: "b"})
			require.NoError(t, err)
			hooks, manifests, err := releaseutil.SortManifests(map[string]string{"c/templates/a.yaml": text}, nil, releaseutil.InstallOrder)
			require.NoError(t, err)
			want := ""
			for _, each := range manifests {
				want += "---\n# Source: " + each.Name + "\n" + each.Content + "\n"
			}
			assert.Equal(t, want, made.Manifest)
			assert.Equal(t, hooks, made.Hooks)
		})
	}
}

func many(count int) (text string) {
	for i := range count {
		text += "---\nkind: CustomResourceDefinition\nmetadata:\n  name: d" + string(rune('z'-i)) + "\nspec:\n  number: " + string(rune('a'+i)) + "\n"
	}
	return text
}
