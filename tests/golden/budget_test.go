package golden_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/golden"
	"gitops-runtime/tests/processor"
)

// A release is kept in a Secret, of 1 MiB at most: with everything on it takes less than half, so that users have room.
func TestReleaseTakesLessThanHalfASecret(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	for _, of := range golden.Cases() {
		made, err := loaded.Release(of)
		require.NoError(t, err)
		text, err := json.Marshal(made)
		require.NoError(t, err)
		var packed bytes.Buffer
		writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // as Helm's storage does, then base64
		require.NoError(t, err)
		_, err = writer.Write(text)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		size := base64.StdEncoding.EncodedLen(packed.Len())
		t.Logf("%s: %d KiB", of.Name, size/1024)
		assert.Less(t, size, 512*1024, of.Name)
	}
}

// BenchmarkRender makes every object of the default case and of the one with everything on, the chart read from disk each
// time; cpu-s/op is what processors computed for it (aim: less than 1).
func BenchmarkRender(b *testing.B) {
	for _, of := range []golden.Case{golden.Cases()[0], everythingOn()} {
		b.Run(of.Name, func(b *testing.B) {
			begun := processor.Time(b)
			for b.Loop() {
				root, err := gomodule.Root()
				require.NoError(b, err)
				fresh, err := golden.Load(b.Context(), root)
				require.NoError(b, err)
				_, err = fresh.Release(of)
				require.NoError(b, err)
			}
			processor.Report(b, begun)
		})
	}
}
