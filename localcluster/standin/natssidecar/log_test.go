package natssidecar_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// await reads lines until one contains text.
func (l logLines) await(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	for {
		select {
		case line := <-l:
			if strings.Contains(line, text) {
				return
			}
		case <-ctx.Done():
			require.Failf(t, "a log line is missing", "no line with %q came", text)
		}
	}
}

// has reports whether one of the next lines contains text.
func (l logLines) has(text string) bool {
	for {
		select {
		case line := <-l:
			if strings.Contains(line, text) {
				return true
			}
		case <-time.After(5 * time.Millisecond):
			return false
		}
	}
}
