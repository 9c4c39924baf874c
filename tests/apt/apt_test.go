package apt

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStepsTakeTurns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := lock(t.Context(), path)
	require.NoError(t, err)

	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = lock(short, path)
	assert.EqualError(t, err, "another step installs Debian packages: context deadline exceeded")

	second := make(chan error, 1)
	go func() {
		unlock, err := lock(t.Context(), path)
		if err == nil {
			unlock()
		}
		second <- err
	}()
	first()
	assert.NoError(t, <-second)
}
