package emit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/emit"
)

// A table that is read is written as one that reads the same.
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

// An earlier version of a values file is followed by one that is YAML, or refused.
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
