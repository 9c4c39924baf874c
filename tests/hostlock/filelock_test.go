package hostlock_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/hostlock"
)

func TestProcessesTakeTurns(t *testing.T) {
	t.Parallel()
	waited := 0
	lock := hostlock.Lock{Path: filepath.Join(t.TempDir(), "made", "lock"), Busy: "another step works", Waiting: func() { waited++ }}
	release, err := lock.Acquire(t.Context())
	require.NoError(t, err)
	assert.Zero(t, waited)

	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err = lock.Acquire(short)
	assert.EqualError(t, err, "another step works: context deadline exceeded")
	assert.Equal(t, 1, waited, "reported once, however long it takes")

	next := make(chan error, 1)
	go func() {
		release, err := hostlock.Lock{Path: lock.Path}.Acquire(t.Context())
		if err == nil {
			release()
		}
		next <- err
	}()
	release()
	assert.NoError(t, <-next)
}

func TestUnusablePath(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := hostlock.Lock{Path: filepath.Join(file, "lock")}.Acquire(t.Context())
	assert.ErrorContains(t, err, "lock: mkdir "+file)
	_, err = hostlock.Lock{Path: filepath.Dir(file)}.Acquire(t.Context())
	assert.ErrorContains(t, err, "is a directory")
}
