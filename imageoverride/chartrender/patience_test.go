package chartrender

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLimitsScale: the first render may take long, others a multiple of it; a limit of the user counts for all.
func TestLimitsScale(t *testing.T) {
	var p patience
	require.Equal(t, DefaultRenderTime, p.most(ownEngine).limit)
	require.NoError(t, p.within(context.Background(), ownEngine, func() error { return nil }))
	p.first[ownEngine] = 6 * time.Second
	require.Equal(t, &TooLong{what: ownEngine, limit: leastTime*slowness + time.Minute, first: 6 * time.Second}, p.most(ownEngine))
	require.Equal(t, DefaultRenderTime, p.most(helmsEngine).limit, "Helm's engine has a first render of its own")
	given := patience{limit: time.Second, first: p.first}
	require.Equal(t, time.Second, given.most(ownEngine).limit)
}

// TestTooLong: work beyond the limit ends with an error that names the limit and the flag.
func TestTooLong(t *testing.T) {
	endless := func() error {
		for begun := time.Now(); time.Since(begun) < time.Minute; {
		}
		return nil
	}
	p := patience{limit: 50 * time.Millisecond}
	require.EqualError(t, p.within(context.Background(), helmsEngine, endless), "rendering it with Helm takes more than 50ms of CPU time; allow more with --render-time")
	require.EqualError(t, &TooLong{what: ownEngine, limit: 15 * time.Second, first: time.Second},
		"rendering it with other values takes more than 15s of CPU time, and took 1s at first; allow more with --render-time")
	require.Error(t, p.within(context.Background(), ownEngine, func() error { return nil }), "the abandoned work may still use the renderer")
}
