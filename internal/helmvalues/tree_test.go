package helmvalues_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmvalues"
)

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &m))
	return m
}

func TestLeaves(t *testing.T) {
	all := tree(t, `
global: {registry: quay.io}
sub:
  global: {registry: quay.io, own: mine}
  "dotted.key": [1, {image: a}, 1.50]
  deeper: {global: {registry: quay.io, own: mine}}
empty: null
enabled: true
`)
	got := map[string]string{}
	for _, leaf := range helmvalues.Leaves(all) {
		text, ok := leaf.Text()
		if !ok {
			text = "(null)"
		}
		got[leaf.Path.String()] = text
		node, found := helmvalues.Get(all, leaf.Path)
		require.True(t, found)
		require.Equal(t, leaf.Value, node)
	}
	require.Equal(t, map[string]string{
		"global.registry": "quay.io", "sub.global.own": "mine",
		`sub.dotted\.key[0]`: "1", `sub.dotted\.key[1].image`: "a", `sub.dotted\.key[2]`: "1.5",
		"empty": "(null)", "enabled": "true",
	}, got)
}

func TestSet(t *testing.T) {
	coalesced := tree(t, `{list: [{image: a, port: 1}, {image: b, nested: [x, y]}], map: {image: c}}`)
	step := func(keys ...any) helmvalues.Path {
		var path helmvalues.Path
		for _, key := range keys {
			if index, ok := key.(int); ok {
				path = append(path, helmvalues.Step{Index: index})
			} else {
				text, _ := key.(string)
				path = append(path, helmvalues.Step{Key: text})
			}
		}
		return path
	}
	cases := []struct {
		name string
		user string
		path helmvalues.Path
		want string
		err  string
	}{
		{"new maps", `{}`, step("map", "image"), `{map: {image: NEW}}`, ""},
		{"beside others", `{map: {other: 1}}`, step("map", "image"), `{map: {image: NEW, other: 1}}`, ""},
		{"complete list", `{}`, step("list", 0, "image"), `{list: [{image: NEW, port: 1}, {image: b, nested: [x, y]}]}`, ""},
		{"list in list", `{}`, step("list", 1, "nested", 1), `{list: [{image: a, port: 1}, {image: b, nested: [x, NEW]}]}`, ""},
		{"list kept", `{list: [{image: mine, port: 1}, {image: b, nested: [x, y]}]}`, step("list", 1, "image"), `{list: [{image: mine, port: 1}, {image: NEW, nested: [x, y]}]}`, ""},
		{"no list", `{}`, step("map", 0), ``, "value map is not a list"},
		{"beyond the list", `{}`, step("list", 0, "port", 3), ``, "value list[0].port[3] does not exist"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			user := tree(t, test.user)
			err := helmvalues.Set(user, coalesced, test.path, "NEW")
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tree(t, test.want), user)
			require.Equal(t, tree(t, `{list: [{image: a, port: 1}, {image: b, nested: [x, y]}], map: {image: c}}`), coalesced)
		})
	}
}

func TestMerge(t *testing.T) {
	base, over := tree(t, `{a: {b: 1, c: [1, 2]}, d: x}`), tree(t, `{a: {c: [3], e: null}, d: {f: 1}}`)
	require.Equal(t, tree(t, `{a: {b: 1, c: [3], e: null}, d: {f: 1}}`), helmvalues.Merge(base, over))
	require.Equal(t, tree(t, `{a: {b: 1, c: [1, 2]}, d: x}`), base)
}
