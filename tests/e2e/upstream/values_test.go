package upstream_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	clivalues "helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/testkit"
)

// parent is a chart with a subchart under an alias and a disabled subchart.
var parent = map[string]string{
	"Chart.yaml": `{apiVersion: v2, name: parent, version: 0.1.0, dependencies: [
  {name: child, version: 0.1.0, alias: kid}, {name: child, version: 0.1.0, condition: child.enabled}]}`,
	"values.yaml":              "a: {b: 1, c: [1, 2], d: {e: f}}\nlist: [x]\nglobal: {name: parent, deep: {a: 1}}\nkid: {size: 5, gone: null}\nchild: {enabled: false}\n",
	"charts/child/Chart.yaml":  "{apiVersion: v2, name: child, version: 0.1.0}",
	"charts/child/values.yaml": "size: 1\ngone: here\nnested: {one: 1, two: 2}\nglobal: {deep: {b: 2}, own: true}\n",
}

// Values are loaded as by Helm.
func TestLoadingIsHelms(t *testing.T) {
	folder := testkit.Folder(t, map[string]string{
		"one.yaml":   "a: {b: 2}\nlist: [y, z]\nanchor: &x {p: 1, q: 2}\nuse: {<<: *x, q: 3}\nyes: on\nnumber: 1.5\nbig: 12345678901\n",
		"two.yaml":   "a: {d: null, new: {deep: true}}\nlist: null\n",
		"empty.yaml": "",
		"text.txt":   "from a file\n",
		"kid.yaml":   "kid: {nested: {one: null}, size: null}\nglobal: {deep: {a: 9}}\n",
	})
	t.Chdir(folder)
	cases := map[string]helmvalues.Options{
		"nothing":       {},
		"one file":      {Files: []string{"one.yaml"}},
		"two files":     {Files: []string{"one.yaml", "two.yaml"}},
		"empty file":    {Files: []string{"empty.yaml"}},
		"subchart":      {Files: []string{"kid.yaml"}},
		"set":           {Files: []string{"one.yaml"}, Set: []string{"a.b=7,list[1]=w", "x.y.z=true", "n=null,m=0123"}},
		"set list":      {Set: []string{"list={p,q}", "objects[1].name=second", `dotted\.key=v`}},
		"set string":    {SetString: []string{"a.b=7", "flag=true"}},
		"set file":      {SetFile: []string{"a.text=text.txt"}},
		"set json":      {JSON: []string{`a={"b":[1,{"c":null}]}`, `top=1,x.y={"z":[]}`}},
		"set literal":   {SetLiteral: []string{"a.text=one,two={x}"}},
		"all in order":  {Set: []string{"v=set"}, SetString: []string{"v=string"}, JSON: []string{`v="json"`}},
		"null default":  {Set: []string{"a=null"}},
		"null subchart": {Set: []string{"kid.nested=null"}},
		"child on":      {Set: []string{"child.enabled=true", "child.global.own=false"}},
	}
	for name, options := range cases {
		t.Run(name, func(t *testing.T) {
			root := testkit.Folder(t, parent)
			want := byHelm(t, root, options)
			loaded, err := helmvalues.Load(context.Background(), options)
			require.NoError(t, err)
			own, err := helmchart.Load(t.Context(), helmchart.Source{Name: root})
			require.NoError(t, err)
			loaded.WithDefaults(helmchart.Of(own))
			assert.Equal(t, want, normal(t, loaded.Tree))
		})
	}
}

func byHelm(t *testing.T, root string, options helmvalues.Options) any {
	t.Helper()
	given := clivalues.Options{
		ValueFiles: options.Files, Values: options.Set, StringValues: options.SetString,
		FileValues: options.SetFile, JSONValues: options.JSON, LiteralValues: options.SetLiteral,
	}
	merged, err := given.MergeValues(getter.Providers{})
	require.NoError(t, err)
	loaded, err := loader.Load(root)
	require.NoError(t, err)
	require.NoError(t, chartutil.ProcessDependenciesWithMerge(loaded, merged))
	coalesced, err := chartutil.CoalesceValues(loaded, merged)
	require.NoError(t, err)
	return normal(t, coalesced)
}

// normal returns a tree in which the numbers of all loaders have the same type.
func normal(t *testing.T, tree any) any {
	t.Helper()
	var out any
	require.NoError(t, yaml.Unmarshal([]byte(text(t, tree)), &out))
	return out
}

func text(t *testing.T, tree any) string {
	t.Helper()
	data, err := yaml.Marshal(tree)
	require.NoError(t, err)
	return string(data)
}
