package platformapi

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// The log keeps the newest events within its limit, and the last one regardless of its size.
func TestEventLog(t *testing.T) {
	t.Parallel()
	var log eventLog
	for _, name := range []string{"a", "b", "c"} {
		log.add(Event{Object: ObjectReference{Name: name}, Payload: bytes.Repeat([]byte("x"), logLimit/2)})
	}
	require.Len(t, log.events, 2)
	require.Equal(t, []string{"b", "c"}, []string{log.events[0].Object.Name, log.events[1].Object.Name})
	log.add(Event{Object: ObjectReference{Name: "d"}, Payload: bytes.Repeat([]byte("x"), logLimit+1)})
	require.Len(t, log.events, 1)
	require.Equal(t, logLimit+1, log.bytes)
}
