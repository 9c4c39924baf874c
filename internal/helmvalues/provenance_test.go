package helmvalues_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/testkit"
)

// family is a chart that includes a subchart twice, once with an alias, and a nested subchart; each of them has its own globals.
var family = map[string]string{
	"Chart.yaml": `{apiVersion: v2, name: parent, version: 0.1.0, dependencies: [
  {name: child, version: 0.1.0, alias: kid}, {name: child, version: 0.1.0}]}`,
	"values.yaml":                          "a: {b: default}\nglobal: {proxy: none, deep: {x: default}}\nkid: {size: 5}\n",
	"charts/child/Chart.yaml":              "{apiVersion: v2, name: child, version: 0.1.0, dependencies: [{name: leaf, version: 0.1.0}]}",
	"charts/child/values.yaml":             "size: 1\ncolour: red\nglobal: {own: true}\nleaf: {green: true}\n",
	"charts/child/charts/leaf/Chart.yaml":  "{apiVersion: v2, name: leaf, version: 0.1.0}",
	"charts/child/charts/leaf/values.yaml": "green: false\nveins: 3\n",
}

// Each case has a value and the place where a user would fix it.
var provenance = []struct {
	name, path, want string
	files            []string
	options          helmvalues.Options
}{
	{name: "plain", path: "a.b", want: "1.yaml:2:3", files: []string{"a:\n  b: 1\n"}},
	{name: "a map itself", path: "a", want: "1.yaml:1:1", files: []string{"a:\n  b: 1\n"}},
	{name: "flow style", path: "a.c", want: "1.yaml:1:11", files: []string{"a: {b: 1, c: 2}\n"}},
	{name: "quoted key", path: "a.b c", want: "1.yaml:1:5", files: []string{"a: {\"b c\": 1}\n"}},
	{name: "key with dots", path: `a.b\.c`, want: "1.yaml:2:3", files: []string{"a:\n  b.c: 1\n"}},
	{name: "block text", path: "a.b", want: "1.yaml:2:3", files: []string{"a:\n  b: |\n    one\n    two\n"}},
	{name: "comments and blank lines", path: "a.b", want: "1.yaml:5:3", files: []string{"# head\n\na: # here\n\n  b: 1\n"}},
	{name: "Windows line ends", path: "a.b", want: "1.yaml:2:3", files: []string{"a:\r\n  b: 1\r\n"}},
	{name: "byte order mark", path: "a.b", want: "1.yaml:2:3", files: []string{"\ufeffa:\n  b: 1\n"}},
	{name: "non-ASCII letters before it", path: "a.c", want: "1.yaml:1:12", files: []string{"a: {b: éé, c: 2}\n"}},
	{name: "number as key", path: "a.1", want: "1.yaml:2:3", files: []string{"a:\n  1: one\n"}},
	{name: "number in another base as key", path: "a.16", want: "1.yaml:2:3", files: []string{"a:\n  0x10: one\n"}},
	{name: "boolean as key", path: "a.true", want: "1.yaml:2:3", files: []string{"a:\n  on: one\n"}},
	{name: "quoted boolean as key", path: "a.on", want: "1.yaml:2:3", files: []string{"a:\n  \"on\": one\n"}},
	{name: "last of a repeated key", path: "a.b", want: "1.yaml:3:3", files: []string{"a:\n  b: 1\n  b: 2\n"}},

	{name: "alias", path: "use.p", want: "1.yaml:1:13", files: []string{"anchor: &x {p: 1}\nuse: *x\n"}},
	{name: "the alias itself", path: "use", want: "1.yaml:2:1", files: []string{"anchor: &x {p: 1}\nuse: *x\n"}},
	{name: "alias of a scalar", path: "use", want: "1.yaml:2:1", files: []string{"anchor: &x 1\nuse: *x\n"}},
	{name: "alias in a list", path: "use[1].p", want: "1.yaml:1:14", files: []string{"anchor: &x { p: 1}\nuse: [1, *x]\n"}},
	{name: "merge key", path: "use.p", want: "1.yaml:1:14", files: []string{"anchor: &x { p: 1}\nuse: {<<: *x, q: 2}\n"}},
	{name: "over a merge key", path: "use.p", want: "1.yaml:2:15", files: []string{"anchor: &x {p: 1}\nuse: {<<: *x, p: 2}\n"}},
	{name: "before a merge key", path: "use.p", want: "1.yaml:2:7", files: []string{"anchor: &x {p: 1}\nuse: {p: 2, <<: *x}\n"}},
	{name: "merge list, first wins", path: "use.p", want: "1.yaml:2:8", files: []string{"x: &x {p: 1}\ny: &y {p: 2}\nuse: {<<: [*y, *x]}\n"}},
	{name: "merge of a merge", path: "use.p", want: "1.yaml:1:8", files: []string{"x: &x {p: 1}\ny: &y {<<: *x}\nuse: {<<: *y}\n"}},
	{name: "merged map in place", path: "use.p", want: "1.yaml:1:12", files: []string{"use: {<<: {p: 1}}\n"}},

	{name: "list by a flag for a text", path: "a.b", want: "--set a.b", files: []string{"a:\n  b: 1\n"}, options: helmvalues.Options{Set: []string{"a.b={x,y}"}}},
	{name: "list by a flag for a list", path: "a.b", want: "--set a.b", files: []string{"a:\n  b: [1, 2]\n"}, options: helmvalues.Options{Set: []string{"a.b={x,y}"}}},
	{name: "item by a flag in a list", path: "a.b", want: "1.yaml:2:3", files: []string{"a:\n  b: [1, 2]\n"}, options: helmvalues.Options{Set: []string{"a.b[1]=x"}}},
	{name: "field by a flag in an item", path: "a.b[0].d", want: "1.yaml:2:14", files: []string{"a:\n  b: [{c: 1, d: 2}]\n"}, options: helmvalues.Options{Set: []string{"a.b[0].c=x"}}},
	{name: "list item", path: "a[1]", want: "1.yaml:3:3", files: []string{"a:\n- one\n- two\n"}},
	{name: "field of a list item", path: "a[1].name", want: "1.yaml:3:3", files: []string{"a:\n- name: one\n- name: two\n"}},
	{name: "list in a list", path: "a[0][1]", want: "1.yaml:1:9", files: []string{"a: [[1, 2]]\n"}},
	{name: "a later file replaces a list", path: "a[0]", want: "2.yaml:1:5", files: []string{"a: [1, 2]\n", "a: [3]\n"}},
	{name: "item of a replaced list", path: "a[1]", want: "a[1]", files: []string{"a: [1, 2]\n", "a: [3]\n"}},

	{name: "later file wins", path: "a.b", want: "2.yaml:2:3", files: []string{"a:\n  b: 1\n  c: 2\n", "a:\n  b: 3\n"}},
	{name: "earlier file keeps the rest", path: "a.c", want: "1.yaml:3:3", files: []string{"a:\n  b: 1\n  c: 2\n", "a:\n  b: 3\n"}},
	{name: "three files", path: "a.b", want: "3.yaml:1:5", files: []string{"a: {b: 1}\n", "a: {b: 2}\n", "a: {b: 3}\n"}},
	{name: "a map over a scalar", path: "a.b", want: "2.yaml:1:5", files: []string{"a: 1\n", "a: {b: 2}\n"}},
	{name: "a scalar over a map", path: "a", want: "2.yaml:1:1", files: []string{"a: {b: 1}\n", "a: 2\n"}},
	{name: "an alias over another file", path: "a.p", want: "2.yaml:1:8", files: []string{"a: {p: 1}\n", "x: &x {p: 2}\na: *x\n"}},

	{name: "null deletes a default", path: "a.b", want: "1.yaml:1:5", files: []string{"a: {b: null}\n"}},
	{name: "null over a value", path: "a.b", want: "2.yaml:1:5", files: []string{"a: {b: 1}\n", "a: {b: null}\n"}},
	{name: "null over a map", path: "a", want: "2.yaml:1:1", files: []string{"a: {z: 1}\n", "a: ~\n"}},
	{name: "a value after a null", path: "a.b", want: "3.yaml:1:5", files: []string{"a: {b: 1}\n", "a: null\n", "a: {b: 2}\n"}},
	{name: "null by flag", path: "a.b", want: "--set a.b", files: []string{"a: {b: 1}\n"}, options: helmvalues.Options{Set: []string{"a.b=null"}}},

	{name: "--set over a file", path: "a.b", want: "--set a.b", files: []string{"a: {b: 1}\n"}, options: helmvalues.Options{Set: []string{"a.b=2"}}},
	{name: "--set beside a file", path: "a.b", want: "1.yaml:1:5", files: []string{"a: {b: 1}\n"}, options: helmvalues.Options{Set: []string{"a.c=2"}}},
	{name: "--set of two", path: "c", want: "--set c", options: helmvalues.Options{Set: []string{"b=1,c=2"}}},
	{name: "--set of an item", path: "a[1]", want: "--set a[1]", files: []string{"a: [1, 2]\n"}, options: helmvalues.Options{Set: []string{"a[1]=3"}}},
	{name: "--set beside an item", path: "a[0]", want: "1.yaml:1:5", files: []string{"a: [1, 2]\n"}, options: helmvalues.Options{Set: []string{"a[1]=3"}}},
	{name: "--set of a list", path: "a[0]", want: "--set a[0]", files: []string{"a: [1, 2]\n"}, options: helmvalues.Options{Set: []string{"a={x}"}}},
	{name: "--set-string", path: "a.b", want: "--set-string a.b", options: helmvalues.Options{Set: []string{"a.b=1"}, SetString: []string{"a.b=2"}}},
	{name: "--set-json", path: "a.b[0].c", want: "--set-json a.b[0].c", options: helmvalues.Options{JSON: []string{`a={"b":[{"c":1}]}`}}},
	{name: "--set-json under --set", path: "a.b", want: "--set a.b", options: helmvalues.Options{JSON: []string{`a={"b":1}`}, Set: []string{"a.b=2"}}},
	{name: "--set-literal", path: "a.b", want: "--set-literal a.b", options: helmvalues.Options{SetLiteral: []string{"a.b=x,y"}}},
	{name: "--set-file", path: "a.b", want: "--set-file a.b", options: helmvalues.Options{SetFile: []string{"a.b=1.yaml"}}, files: []string{"x: 1\n"}},

	{name: "chart default", path: "a.b", want: "a.b (chart default)"},
	{name: "default beside a value", path: "a.b", want: "a.b (chart default)", files: []string{"a: {c: 1}\n"}},
	{name: "absent", path: "a.nothing", want: "a.nothing"},
	{name: "aliased subchart", path: "kid.size", want: "1.yaml:1:7", files: []string{"kid: {size: 7}\n"}},
	{name: "subchart without its alias", path: "child.size", want: "child.size (chart default)", files: []string{"kid: {size: 7}\n"}},
	{name: "default of an alias by the parent", path: "kid.size", want: "kid.size (chart default)"},
	{name: "subchart of a subchart", path: "kid.leaf.veins", want: "1.yaml:1:14", files: []string{"kid: {leaf: {veins: 4}}\n"}},
	{name: "null for a subchart", path: "kid.colour", want: "1.yaml:1:7", files: []string{"kid: {colour: null}\n"}},

	{name: "global", path: "global.proxy", want: "1.yaml:1:10", files: []string{"global: {proxy: p}\n"}},
	{name: "global as the subchart sees it", path: "kid.global.proxy", want: "1.yaml:1:10", files: []string{"global: {proxy: p}\n"}},
	{name: "global two charts down", path: "kid.leaf.global.deep.x", want: "1.yaml:1:18", files: []string{"global: {deep: { x: 1}}\n"}},
	{name: "global by flag", path: "child.global.proxy", want: "--set child.global.proxy", options: helmvalues.Options{Set: []string{"global.proxy=p"}}},
	{name: "global default", path: "kid.global.proxy", want: "kid.global.proxy (chart default)"},
	{name: "the subchart's own global default", path: "kid.global.own", want: "kid.global.own (chart default)"},
	{name: "global of one subchart", path: "kid.global.mine", want: "1.yaml:1:16", files: []string{"kid: {global: {mine: 1}}\n"}},
	{name: "the umbrella's global wins", path: "kid.global.proxy", want: "1.yaml:2:10", files: []string{"kid: {global: {proxy: q}}\nglobal: {proxy: p}\n"}},
}

func TestProvenance(t *testing.T) {
	assert.GreaterOrEqual(t, len(provenance), 30)
	root := testkit.Folder(t, family)
	read, err := helmchart.Load(t.Context(), helmchart.Source{Name: root})
	require.NoError(t, err)
	chart := helmchart.Of(read)
	for _, c := range provenance {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for i, content := range c.files {
				name := string(rune('1'+i)) + ".yaml"
				require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
				c.options.Files = append(c.options.Files, name)
			}
			loaded, err := helmvalues.Load(context.Background(), c.options)
			require.NoError(t, err)
			loaded.WithDefaults(chart)
			place := loaded.Place(c.path)
			assert.Equal(t, c.want, place.String())
			assert.Equal(t, c.path, place.Value)
			pointsAtTheKey(t, c.files, place)
		})
	}
}

// pointsAtTheKey asserts that the key of the value is at the place in the file. It skips list items.
func pointsAtTheKey(t *testing.T, files []string, place helmvalues.Place) {
	t.Helper()
	if place.File == "" {
		return
	}
	lines := strings.Split(strings.TrimPrefix(files[place.File[0]-'1'], "\ufeff"), "\n")
	line := []rune(lines[place.Line-1])
	at := string(line[place.Column-1:])
	key := strings.ReplaceAll(place.Value[strings.LastIndex(strings.ReplaceAll(place.Value, `\.`, "__"), ".")+1:], `\.`, ".")
	if strings.HasSuffix(key, "]") || key == "true" || key == "16" {
		return // an item has no key, and the other keys have another notation in the file
	}
	assert.True(t, strings.HasPrefix(strings.TrimPrefix(at, `"`), key), "%s has %q, not %q", place, at, key)
}
