package mirror_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
	"gitops-runtime/internal/testkit"
)

func sourcesOf(pairs []mapping.Pair) []string {
	var all []string
	for _, pair := range pairs {
		all = append(all, pair.Source)
	}
	return all
}

// TestBundle: a bundle is the same in each run, survives interruptions and damage, and becomes the same images behind the gap.
func TestBundle(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 4, 2000)
	ctx, access := context.Background(), registry.Access{Pause: pause}
	first, second := t.TempDir(), t.TempDir()
	require.NoError(t, mirror.Bundler{Access: access}.Write(ctx, first, sourcesOf(pairs), mirror.Contents{}))
	require.NoError(t, mirror.Bundler{Access: access}.Write(ctx, second, sourcesOf(pairs), mirror.Contents{}))
	whole := testkit.Files(t, first)
	require.Equal(t, whole, testkit.Files(t, second))
	contents, err := mirror.OpenBundle(first)
	require.NoError(t, err)

	blobs, err := filepath.Glob(filepath.Join(first, "blobs/sha256/*"))
	require.NoError(t, err)
	require.Greater(t, len(blobs), 10)
	for i, blob := range blobs {
		text, err := os.ReadFile(blob)
		require.NoError(t, err)
		want := "is damaged"
		if i%2 == 0 {
			text[len(text)/2] ^= 1
			require.NoError(t, os.WriteFile(blob, text, 0o600))
		} else {
			require.NoError(t, os.Remove(blob))
			want = "is missing"
		}
		_, err = mirror.OpenBundle(first)
		require.ErrorContains(t, err, "sha256:"+filepath.Base(blob)+" "+want)
		require.ErrorContains(t, err, "bundle "+first+": of "+from.Name)
		require.NoError(t, mirror.Bundler{Access: access}.Write(ctx, first, sourcesOf(pairs), mirror.Contents{}))
		require.Equal(t, whole, testkit.Files(t, first))
	}

	mapper, err := mapping.New(to.Name+"/mirror", mapping.HostPrefix, nil)
	require.NoError(t, err)
	var outcomes []mirror.Outcome
	loader := mirror.Loader{Access: access, Mapper: mapper, Report: func(e mirror.Event) { outcomes = append(outcomes, e.Outcome) }}
	for _, want := range []mirror.Outcome{mirror.Copied, mirror.Present} {
		outcomes = nil
		locked, err := loader.Load(ctx, first, contents)
		require.NoError(t, err)
		assert.Equal(t, []mirror.Outcome{want, want, want, want}, outcomes)
		defects, err := mirror.Check(ctx, access, locked, 2, true)
		require.NoError(t, err)
		require.Empty(t, defects)
		for i, one := range locked {
			require.Equal(t, registrytest.DigestAt(t, pairs[i].Source), one.Digest)
		}
	}
}

// TestBundleInterrupted: registries that fail at any request leave nothing wrong, and the next run completes the bundle.
func TestBundleInterrupted(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 3, 2000)
	folder, once := t.TempDir(), registry.Access{Pause: pause, Attempts: 1}
	whole := t.TempDir()
	require.NoError(t, mirror.Bundler{Access: once}.Write(context.Background(), whole, sourcesOf(pairs), mirror.Contents{}))
	for stop := range 10 {
		ctx, cancel := context.WithCancel(context.Background())
		var count atomic.Int64
		from.Failing(func(http.ResponseWriter, *http.Request) bool {
			if count.Add(1) > int64(3*stop) {
				cancel()
			}
			return false
		})
		require.Error(t, mirror.Bundler{Access: once}.Write(ctx, folder, sourcesOf(pairs), mirror.Contents{}), "request %d", 3*stop)
		cancel()
	}
	from.Failing(nil)
	require.NoError(t, mirror.Bundler{Access: once}.Write(context.Background(), folder, sourcesOf(pairs), mirror.Contents{}))
	require.Equal(t, testkit.Files(t, whole), testkit.Files(t, folder))
}

// TestBundlePlatforms: a bundle has the platforms that are chosen; one that an image lacks is an error that names both.
func TestBundlePlatforms(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 1, 2000)
	registrytest.Push(t, pairs[0].Source, registrytest.List(t, "three", 2000, "amd64", "arm64", "s390x"))
	pinned := from.Name + "/team/app-00@" + registrytest.DigestAt(t, pairs[0].Source)
	ctx, access, folder := context.Background(), registry.Access{Pause: pause, Attempts: 1}, t.TempDir()
	require.NoError(t, mirror.Bundler{Access: access, Platforms: []string{"linux/arm64", "linux/s390x"}}.Write(ctx, folder, []string{pairs[0].Source}, mirror.Contents{}))
	contents, err := mirror.OpenBundle(folder)
	require.NoError(t, err)
	require.Equal(t, []string{"linux/arm64", "linux/s390x"}, keys(contents.Images[0].Platforms))
	blobs, err := filepath.Glob(filepath.Join(folder, "blobs/sha256/*"))
	require.NoError(t, err)
	require.Len(t, blobs, 8, "the list, two manifests, two configurations, two layers and the one that both share")
	require.Equal(t, registrytest.DigestAt(t, pairs[0].Source), contents.Images[0].Original)

	mapper, err := mapping.New(to.Name, mapping.HostPrefix, nil)
	require.NoError(t, err)
	locked, err := mirror.Loader{Access: access, Mapper: mapper}.Load(ctx, folder, contents)
	require.NoError(t, err)
	defects, err := mirror.Check(ctx, access, locked, 2, true)
	require.NoError(t, err)
	require.Empty(t, defects)

	folder = t.TempDir()
	require.NoError(t, mirror.Bundler{Access: access, Platforms: []string{"linux/arm64"}}.Write(ctx, folder, []string{pinned}, mirror.Contents{}))
	contents, err = mirror.OpenBundle(folder)
	require.NoError(t, err)
	require.Equal(t, []string{"linux/amd64", "linux/arm64", "linux/s390x"}, keys(contents.Images[0].Platforms), "an image that is named by its digest stays whole")

	var events []mirror.Event
	bundler := mirror.Bundler{Access: access, Platforms: []string{"linux/amd64", "linux/riscv64"}, Report: func(e mirror.Event) { events = append(events, e) }}
	require.Error(t, bundler.Write(ctx, t.TempDir(), []string{pairs[0].Source}, mirror.Contents{}))
	require.ErrorContains(t, events[0].Err, "it has no platform linux/riscv64")
	require.ErrorContains(t, events[0].Err, pairs[0].Source)
}

// TestCheckRead: blobs that changed at the target are found by reading them.
func TestCheckRead(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 1, 2000)
	ctx, access := context.Background(), registry.Access{Pause: pause, Attempts: 1}
	_, err := copyAll(t, ctx, "", pairs)
	require.NoError(t, err)
	locked, err := mirror.Lock(ctx, access, pairs, 2, false)
	require.NoError(t, err)
	to.Failing(func(w http.ResponseWriter, request *http.Request) bool {
		if request.Method != http.MethodGet || !strings.Contains(request.URL.Path, "/blobs/") {
			return false
		}
		_, err := w.Write([]byte("rotten"))
		return err == nil
	})
	defects, err := mirror.Check(ctx, access, locked, 2, false)
	require.NoError(t, err)
	require.Empty(t, defects, "the registry says that it has each blob")
	defects, err = mirror.Check(ctx, access, locked, 2, true)
	require.NoError(t, err)
	require.Len(t, defects, 1)
	require.Regexp(t, "^blob sha256:[0-9a-f]{64} is damaged or cannot be read; delete it at the registry and run mirror again: ", defects[0].Reason)
}
