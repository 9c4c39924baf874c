package emit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/emit"
)

// A mirror table that is read and written again is equal to the first one.
func FuzzReadMirror(f *testing.F) {
	f.Add("source_image,target_image\ndocker.io/library/nats:2,reg.corp/nats:2\n")
	f.Add("source_image,target_image\n\"a\",\"b\nc\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := emit.ReadMirror("m.csv", strings.NewReader(text))
		if err != nil {
			return
		}
		written, err := emit.Mirror(pairs)
		require.NoError(t, err)
		again, err := emit.ReadMirror("m.csv", strings.NewReader(string(written)))
		require.NoError(t, err)
		require.Equal(t, pairs, again)
	})
}

// A values file with the comments of any earlier version is valid YAML, or an error is returned.
func FuzzEarlierValues(f *testing.F) {
	f.Add("# ours\nimage: x # here\nlist:\n  - a\n  # end\n")
	f.Add("image: &a [*a]\nlist: {<<: *a}\n")
	tree := map[string]any{"image": map[string]any{"tag": "1.20"}, "list": []any{"a", "b"}}
	f.Fuzz(func(t *testing.T, earlier string) {
		written, err := emit.Values(tree, "Heading.", []byte(earlier))
		if err != nil {
			return
		}
		_, err = emit.Values(tree, "Heading.", written)
		require.NoError(t, err, "%q", written)
	})
}
