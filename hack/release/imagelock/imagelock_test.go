package imagelock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/imagelock"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
	"gitops-runtime/internal/testkit"
)

var today = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// The digests of a registry on this machine are written, read, and those of its manifest lists.
func TestResolve(t *testing.T) {
	server := registrytest.Start(t)
	image, err := random.Image(64, 1)
	require.NoError(t, err)
	list := registrytest.List(t, "list", 10)
	one, several := server.Name+"/library/one:1.2.3", server.Name+"/team/several:v4"
	registrytest.Push(t, one, image)
	registrytest.Push(t, several, list)
	lock, err := imagelock.Resolve(t.Context(), registry.Access{Attempts: 1}, []string{one, several}, today)
	require.NoError(t, err)
	first, err := image.Digest()
	require.NoError(t, err)
	second, err := list.Digest()
	require.NoError(t, err)
	want := imagelock.Lock{Resolved: "2026-11-23", Images: map[string]string{one: first.String(), several: second.String()}}
	assert.Equal(t, want, lock)

	root := testkit.Folder(t, map[string]string{imagelock.File: ""})
	require.NoError(t, lock.Write(root))
	read, err := imagelock.Read(root)
	require.NoError(t, err)
	assert.Equal(t, want, read)

	_, err = imagelock.Resolve(t.Context(), registry.Access{Attempts: 1}, []string{one, server.Name + "/gone:1", server.Name + "/lost:2"}, today)
	require.ErrorContains(t, err, "/gone:1")
	require.ErrorContains(t, err, "/lost:2", "only the first image is reported")
}

func TestRead(t *testing.T) {
	lock, err := imagelock.Read(t.TempDir())
	require.NoError(t, err, "a checkout without the file")
	assert.Empty(t, lock)
	for text, want := range map[string]string{
		"images: {a/b:1: sha256:1}\n": "the digest of a/b:1: ",
		"pictures: {}\n":              "unknown field",
	} {
		_, err := imagelock.Read(testkit.Folder(t, map[string]string{imagelock.File: text}))
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, imagelock.File)
	}
}

func TestProblems(t *testing.T) {
	digest := "sha256:" + strings.Repeat("1", 64)
	for name, test := range map[string]struct {
		lock imagelock.Lock
		want []string
	}{
		"complete": {imagelock.Lock{Resolved: "2026-08-26", Images: map[string]string{"a/b:1": digest}}, nil},
		"old":      {imagelock.Lock{Resolved: "2026-08-24", Images: map[string]string{"a/b:1": digest}}, []string{"the digests are those of 2026-08-24, more than 90 days ago"}},
		"other":    {imagelock.Lock{Resolved: "2026-11-23", Images: map[string]string{"a/b:0": digest}}, []string{"a/b:1 has no digest", "a/b:0 is not in any chart"}},
		"empty":    {imagelock.Lock{}, []string{"a/b:1 has no digest"}},
		"no day":   {imagelock.Lock{Resolved: "today", Images: map[string]string{"a/b:1": digest}}, []string{`resolved: "today" is not a day such as 2006-01-02`}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, test.lock.Problems([]string{"a/b:1"}, today)) })
	}
}

// The lock of this checkout, once it has one, is complete and recent.
func TestTheLockOfTheCheckout(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	product, err := address.Read(root)
	require.NoError(t, err)
	listed, err := imagelock.Listed(root, product.Images())
	require.NoError(t, err)
	assert.Greater(t, len(listed), 20)
	for _, image := range listed {
		assert.NotContains(t, image, "gitops-runtime-installer", "an image of the product")
	}
	if _, err := os.Stat(filepath.Join(root, imagelock.File)); err != nil {
		return // before the first release: publish refuses until make images-lock has written it
	}
	lock, err := imagelock.Read(root)
	require.NoError(t, err)
	assert.Empty(t, lock.Problems(listed, time.Now()), "run make images-lock")
}
