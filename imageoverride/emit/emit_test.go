package emit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/mapping"
)

func TestValues(t *testing.T) {
	tree := map[string]any{
		"image": map[string]any{"repository": "reg.corp/a", "tag": "1.20"},
		"on":    map[string]any{"null": nil, "yes": true, "port": float64(8080), "ratio": 1.5},
		"list":  []any{map[string]any{"image": "reg.corp/b:4212e77"}, "plain"},
		"a.b":   "line one\nline two\n",
	}
	const want = `# Heading.

a.b: "line one\nline two\n"
image:
  repository: "reg.corp/a"
  tag: "1.20"
list:
  - image: "reg.corp/b:4212e77"
  - "plain"
"on":
  "null": null
  port: 8080
  ratio: 1.5
  "yes": true
`
	got, err := emit.Values(tree, "Heading.", nil)
	require.NoError(t, err)
	require.Equal(t, want, string(got))

	commented := strings.Replace(want, "image:\n", "# Ours.\nimage: # here\n", 1)
	commented = strings.Replace(commented, "  - \"plain\"", "  - \"plain\" # odd", 1)
	again, err := emit.Values(tree, "Heading.", []byte(commented))
	require.NoError(t, err)
	require.Equal(t, commented, string(again))

	_, err = emit.Values(tree, "Heading.", []byte("a: [b"))
	require.ErrorContains(t, err, "the earlier version is not valid YAML; move it away")
}

func TestMirrorTable(t *testing.T) {
	pairs := []mapping.Pair{{Source: "docker.io/library/nats:2", Target: "reg.corp/nats:2"}, {Source: "quay.io/a:1", Target: "reg.corp/a:1"}}
	data, err := emit.Mirror(pairs)
	require.NoError(t, err)
	require.Equal(t, "source_image,target_image\ndocker.io/library/nats:2,reg.corp/nats:2\nquay.io/a:1,reg.corp/a:1\n", string(data))
	require.Equal(t, "docker.io/library/nats:2\nquay.io/a:1\n", string(emit.List(pairs)))
	back, err := emit.ReadMirror("m.csv", strings.NewReader(string(data)))
	require.NoError(t, err)
	require.Equal(t, pairs, back)

	wrong := map[string]string{
		"":                                 "m.csv is not a mirror table: its first line must be source_image,target_image",
		"a,b\n":                            "m.csv is not a mirror table: its first line must be source_image,target_image",
		"source_image,target_image\nA,b\n": `m.csv line 2: "A" is not an image reference: invalid reference format: repository name (library/A) must be lowercase`,
		"source_image,target_image\na,c\na,c\nb,c\n": "m.csv lines 3 and 4: a and b would both become c; give one of them another target",
		"source_image,target_image\na\n":             "m.csv is not a mirror table: record on line 2: wrong number of fields; every line is source_image,target_image",
		"source_image,target_image\na,\"\n":          "m.csv is not a mirror table: parse error on line 2, column 5: extraneous or missing \" in quoted-field; every line is source_image,target_image",
	}
	for text, want := range wrong {
		_, err := emit.ReadMirror("m.csv", strings.NewReader(text))
		require.EqualError(t, err, want)
	}
}
