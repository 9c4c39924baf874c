package hostlock

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
	steps := aptLock(filepath.Join(t.TempDir(), "lock"))
	release, err := steps.Acquire(t.Context())
	require.NoError(t, err)
	defer release()

	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = steps.Acquire(short)
	assert.EqualError(t, err, "another step installs Debian packages: context deadline exceeded")
}
