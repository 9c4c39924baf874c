package store_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images/ocilayer"
	"gitops-runtime/tests/e2e/images/store"
)

func image(t *testing.T, entries ...ocilayer.Entry) v1.Image {
	t.Helper()
	made := empty.Image
	for _, entry := range entries {
		var err error
		made, err = mutate.AppendLayers(made, ocilayer.FromEntries([]ocilayer.Entry{entry}))
		require.NoError(t, err)
	}
	return made
}

func TestPutThenGet(t *testing.T) {
	s := store.Store{Dir: filepath.Join(t.TempDir(), "images")}
	assert.False(t, s.Has("one"))
	_, err := s.Get("one")
	require.ErrorIs(t, err, fs.ErrNotExist)

	stored, err := s.Put("one", image(t, ocilayer.Entry{Path: "/a", Content: "a"}))
	require.NoError(t, err)
	assert.True(t, s.Has("one"))
	want, err := stored.Digest()
	require.NoError(t, err)

	again, err := s.Get("one")
	require.NoError(t, err)
	got, err := again.Digest()
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestBlobsAreShared(t *testing.T) {
	s := store.Store{Dir: t.TempDir()}
	shared := ocilayer.Entry{Path: "/shared", Content: "s"}
	_, err := s.Put("one", image(t, shared))
	require.NoError(t, err)
	_, err = s.Put("two", image(t, shared, ocilayer.Entry{Path: "/b"}))
	require.NoError(t, err)
	// Three layers in all, one of them in both images, two configurations, two manifests.
	blobs, err := os.ReadDir(filepath.Join(s.Dir, "blobs", "sha256"))
	require.NoError(t, err)
	assert.Len(t, blobs, 2+2+2)
}

func TestPutOfABrokenImageLeavesNothingBehind(t *testing.T) {
	s := store.Store{Dir: t.TempDir()}
	_, err := s.Put("broken", image(t, ocilayer.Entry{Path: "relative"}))
	require.EqualError(t, err, `image cache: storing broken: error writing layer: layer entry "relative": give an absolute path without a trailing slash or dots`)
	entries, err := os.ReadDir(s.Dir)
	require.NoError(t, err)
	for _, entry := range entries {
		assert.Equal(t, "blobs", entry.Name())
	}
}

func TestPutTwiceKeepsTheFirst(t *testing.T) {
	s := store.Store{Dir: t.TempDir()}
	for range 2 {
		_, err := s.Put("one", image(t, ocilayer.Entry{Path: "/a"}))
		require.NoError(t, err)
	}
	assert.True(t, s.Has("one"))
}

func TestKeyDistinguishesParts(t *testing.T) {
	key := func(parts ...any) string {
		text, err := store.Key("label", parts...)
		require.NoError(t, err)
		return text
	}
	assert.Regexp(t, `^label-[0-9a-f]{24}$`, key("a"))
	assert.Equal(t, key("a", 1), key("a", 1))
	assert.NotEqual(t, key("a", "b"), key("ab"))
	_, err := store.Key("label", func() {})
	assert.ErrorContains(t, err, "cache key of label")
}

func TestPruneRemovesWhatIsUnused(t *testing.T) {
	s := store.Store{Dir: t.TempDir()}
	shared := ocilayer.Entry{Path: "/shared"}
	for key, own := range map[string]ocilayer.Entry{"old": {Path: "/old"}, "new": {Path: "/new"}} {
		_, err := s.Put(key, image(t, shared, own))
		require.NoError(t, err)
	}
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(s.Dir, "old", "index.json"), long, long))

	require.NoError(t, s.Prune(long.Add(-time.Minute)))
	assert.DirExists(t, filepath.Join(s.Dir, "old"), "used since")
	require.NoError(t, s.Prune(long.Add(time.Minute)))
	assert.NoDirExists(t, filepath.Join(s.Dir, "old"))
	blobs, err := os.ReadDir(filepath.Join(s.Dir, "blobs", "sha256"))
	require.NoError(t, err)
	assert.Len(t, blobs, 4, "two layers, a configuration, a manifest")
	kept, err := s.Get("new")
	require.NoError(t, err)
	parts, err := kept.Layers()
	require.NoError(t, err)
	assert.Len(t, parts, 2)
	assert.ErrorIs(t, store.Store{Dir: "/no/such/folder"}.Prune(long), fs.ErrNotExist)
}

func TestLockWaitsForItsHolder(t *testing.T) {
	s := store.Store{Dir: t.TempDir()}
	unlock, err := s.Lock(context.Background(), func() { assert.Fail(t, "no other process holds the lock") })
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	waited := 0
	_, err = s.Lock(ctx, func() { waited++ })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, 1, waited)

	unlock()
	unlock, err = s.Lock(context.Background(), func() { assert.Fail(t, "the lock was released") })
	require.NoError(t, err)
	unlock()
}
