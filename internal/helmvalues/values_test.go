package helmvalues_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/testkit"
)

const anchored = `base: &base
  image: one
  ports: [80, 443]
extra: &extra
  image: two
  tag: x
plain: 1
merged:
  <<: *base
  own: true
both:
  <<: [*extra, *base]
override:
  <<: *base
  image: three
alias: *base
flow: {a: {b: c}, "quoted key": 1}
dotted.key:
  inner: 1
list:
  - name: first
    value: 1
  -
    name: second
block: |
  text
`

func TestPlaces(t *testing.T) {
	t.Chdir(testkit.Folder(t, map[string]string{
		"one.yaml": anchored,
		"two.yaml": "plain:\n  now: a map\nmerged:\n  own: null\nlist: []\n",
	}))
	loaded, err := helmvalues.Load(context.Background(), helmvalues.Options{
		Files: []string{"one.yaml", "two.yaml"},
		Set:   []string{"flow.a.b=d", "fresh.list[1].x=1", "override.ports[1]=8443"}, JSON: []string{`json={"deep":[1]}`},
	})
	require.NoError(t, err)
	loaded.WithDefaults(&helmchart.Chart{Defaults: map[string]any{"default": map[string]any{"x": "y"}, "plain": map[string]any{"z": 1.0}}})
	cases := map[string]string{
		"base.image":        "one.yaml:2:3",
		"base.ports[1]":     "one.yaml:3:15",
		"merged":            "two.yaml:3:1",
		"merged.image":      "one.yaml:2:3",
		"merged.ports[0]":   "one.yaml:3:11",
		"merged.own":        "two.yaml:4:3",
		"both.image":        "one.yaml:5:3",
		"both.tag":          "one.yaml:6:3",
		"both.ports":        "one.yaml:3:3",
		"override.image":    "one.yaml:15:3",
		"override.ports[0]": "one.yaml:3:11",
		"override.ports[1]": "--set override.ports[1]",
		"alias":             "one.yaml:16:1",
		"alias.image":       "one.yaml:2:3",
		"flow.a.b":          "--set flow.a.b",
		"flow.quoted key":   "one.yaml:17:19",
		`dotted\.key.inner`: "one.yaml:19:3",
		"list":              "two.yaml:5:1",
		"list[0].name":      "list[0].name",
		"block":             "one.yaml:25:1",
		"plain.now":         "two.yaml:2:3",
		"plain":             "two.yaml:1:1",
		"plain.z":           "plain.z (chart default)",
		"default.x":         "default.x (chart default)",
		"fresh":             "--set fresh",
		"fresh.list[1].x":   "--set fresh.list[1].x",
		"json.deep[0]":      "--set-json json.deep[0]",
		"absent.value":      "absent.value",
	}
	for path, want := range cases {
		assert.Equal(t, want, loaded.Place(path).String())
	}
}

func TestAccessors(t *testing.T) {
	v := helmvalues.New(map[string]any{
		"text": "x", "empty": "", "yes": true, "word": "true", "odd": "maybe", "number": 1.5, "null": nil,
		"list": []any{"a", map[string]any{"b": "c"}}, "map": map[string]any{"k": "v"}, "dot.key": "d",
	})
	assert.Equal(t, "x - 1.5 true - c - d -", strings.Join([]string{
		v.String("text", "-"), v.String("empty", "-"), v.String("number", "-"), v.String("yes", "-"), v.String("map", "-"),
		v.String("list[1].b", "-"), v.String("list[9]", "-"), v.String(`dot\.key`, "-"), v.String("text.deeper", "-"),
	}, " "))
	assert.True(t, v.Bool("yes", false), "truth values")
	assert.True(t, v.Bool("word", false), "truth values")
	assert.True(t, v.Bool("odd", true), "truth values")
	assert.False(t, v.Bool("null", false), "truth values")
	require.Len(t, v.List("list"), 2, "lists and maps")
	assert.Nil(t, v.List("map"), "lists and maps")
	require.Len(t, v.Map("map"), 1, "lists and maps")
	assert.Nil(t, v.Map("list"), "lists and maps")
	got, exists := v.Get("null")
	assert.Nil(t, got, "null is reported as a value")
	assert.False(t, exists, "null is reported as a value")
}

func TestErrorsNameTheSourceAndNoValue(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fine.yaml" {
			_, _ = w.Write([]byte("a: 1\n"))
			return
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	t.Chdir(testkit.Folder(t, map[string]string{
		"bad.yaml": "a: [secret\n", "fine.yaml": "a: {b: 1}\n", "first.yaml": "a: b: secret\n", "later.yaml": "a: 1\nb: c: secret\n",
		"twice.yaml": "b: 1\na: &a {b: *a}\n", "anchor.yaml": "a: 1\nb: [*nobody]\n", "merge.yaml": "a:\n  <<: 1\n",
	}))
	cases := map[string]struct {
		options helmvalues.Options
		want    string
	}{
		"absent":  {helmvalues.Options{Files: []string{"no.yaml"}}, "values file no.yaml: no such file"},
		"syntax":  {helmvalues.Options{Files: []string{"bad.yaml"}}, "values file bad.yaml: it is not YAML: line 1: did not find expected ',' or ']'"},
		"first":   {helmvalues.Options{Files: []string{"first.yaml"}}, "values file first.yaml: it is not YAML: line 1: mapping values are not allowed in this context"},
		"later":   {helmvalues.Options{Files: []string{"later.yaml"}}, "values file later.yaml: it is not YAML: line 2: mapping values are not allowed in this context"},
		"loop":    {helmvalues.Options{Files: []string{"twice.yaml"}}, "values file twice.yaml: it is not YAML: line 2: anchor 'a' value contains itself"},
		"anchor":  {helmvalues.Options{Files: []string{"anchor.yaml"}}, "values file anchor.yaml: it is not YAML: line 2: unknown anchor 'nobody' referenced"},
		"merge":   {helmvalues.Options{Files: []string{"merge.yaml"}}, "values file merge.yaml: it is not YAML: line 2: map merge requires map or sequence of maps as the value"},
		"stdin":   {helmvalues.Options{Files: []string{"-"}}, "values file -: there is no standard input"},
		"url":     {helmvalues.Options{Files: []string{server.URL + "/x"}}, "values file " + server.URL + "/x: the server answers HTTP 403"},
		"set":     {helmvalues.Options{Set: []string{"a[secret=1"}}, "--set a[secret=...: the argument cannot be parsed; write --set path.to.value=<value>"},
		"below":   {helmvalues.Options{Files: []string{"fine.yaml"}, Set: []string{"a.b.c=secret"}}, "--set a.b.c=...: a.b is a value (fine.yaml:1:5), not a map or a list; remove it, or set it as a whole"},
		"json":    {helmvalues.Options{JSON: []string{"secret"}}, "--set-json secret=...: the argument cannot be parsed; write --set-json path.to.value=<value>"},
		"no file": {helmvalues.Options{SetFile: []string{"a=secret.txt"}}, "--set-file a=...: file secret.txt: no such file"},
	}
	for name, c := range cases {
		_, err := helmvalues.Load(context.Background(), c.options)
		assert.EqualError(t, err, c.want, name)
	}
	loaded, err := helmvalues.Load(context.Background(), helmvalues.Options{Files: []string{server.URL + "/fine.yaml"}})
	require.NoError(t, err)
	assert.Equal(t, "1", loaded.String("a", ""))
}

// An interruption ends the wait for input that does not arrive.
func TestAnInterruptionEndsTheWait(t *testing.T) {
	silent, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := helmvalues.Load(ctx, helmvalues.Options{Files: []string{"-"}, In: silent})
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualError(t, err, "values file -: the wait for it was interrupted: context canceled")
}

// Loading a text does not panic or hang, and every place is valid.
func FuzzLoad(f *testing.F) {
	seeds := []string{anchored, "a: &a [*a]", "a: {<<: {b: 1}}", "<<: 1", "? [x]: y", "a: !!binary x", "\t", "--- a\n---\nb", "1: 2", "a: *x"}
	for _, seed := range append(seeds, testkit.Mutate(seeds, 500)...) {
		f.Add(seed, "a.b=1")
	}
	sets := []string{"a[3].b={x,y}", `a\.b=c,d=null`, "a={},b[0][1].c=1e3"}
	for _, set := range append(sets, testkit.Mutate(sets, 300)...) {
		f.Add("a: 1", set)
	}
	f.Fuzz(func(t *testing.T, file, set string) {
		if strings.Contains(set, "[") && strings.Count(set, "9") > 3 {
			return // strvals accepts list indexes up to 65536
		}
		loaded, err := helmvalues.Load(context.Background(), helmvalues.Options{Files: []string{"-"}, In: strings.NewReader(file), Set: []string{set}})
		if err != nil {
			return
		}
		for key := range loaded.Tree {
			place := loaded.Place(helmvalues.Join("", key))
			assert.False(t, place.File != "" && place.Line < 0, "%q: place %+v", key, place)
		}
	})
}
