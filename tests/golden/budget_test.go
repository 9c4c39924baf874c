package golden_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/golden"
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

// A full render, the chart read from disk and every object made, takes less than a second of CPU: the least of five, since
// the machine may have other work. Not parallel: the process is measured.
func TestRenderTakesLessThanASecond(t *testing.T) {
	least := time.Hour
	for range 5 {
		before := processorTime(t)
		loaded, _ := chart(t)
		_, err := loaded.Release(everythingOn())
		require.NoError(t, err)
		least = min(least, processorTime(t)-before)
	}
	t.Logf("everything on: %s of CPU", least)
	assert.Less(t, least, time.Second)
}

// processorTime is what this process has used of processors.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func BenchmarkRender(b *testing.B) {
	loaded, _ := chart(b)
	for _, name := range []golden.Case{golden.Cases()[0], everythingOn()} {
		b.Run(name.Name, func(b *testing.B) {
			for b.Loop() {
				_, err := loaded.Release(name)
				require.NoError(b, err)
			}
		})
	}
}
