package cluster

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLockIsHeldUntilUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "lock")
	unlock, err := lock(context.Background(), path)
	require.NoError(t, err)

	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = lock(short, path)
	assert.EqualError(t, err, "another command works on the cluster: context deadline exceeded")

	unlock()
	unlock, err = lock(context.Background(), path)
	require.NoError(t, err)
	unlock()
}
