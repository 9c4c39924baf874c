package mirror_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// TestDeletedBlobs: every blob is requested, and mirror restores lost ones although its journal records that they were sent.
func TestDeletedBlobs(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 5, 0)
	journal := filepath.Join(t.TempDir(), "journal")
	ctx, access := context.Background(), registry.Access{Pause: pause}
	_, err := copyAll(t, ctx, journal, pairs)
	require.NoError(t, err)
	locked, err := mirror.Lock(ctx, access, pairs, 2, false)
	require.NoError(t, err)
	to.Lose()
	defects, err := mirror.Check(ctx, access, locked, 2, false)
	require.NoError(t, err)
	require.Len(t, defects, len(pairs))
	require.Regexp(t, `^blob sha256:[0-9a-f]{64} of manifest sha256:[0-9a-f]{64} is missing$`, defects[0].Reason)
	outcomes, err := copyAll(t, ctx, journal, pairs)
	require.NoError(t, err)
	require.Equal(t, map[mirror.Outcome]int{mirror.Copied: 5}, outcomes)
	defects, err = mirror.Check(ctx, access, locked, 2, false)
	require.NoError(t, err)
	require.Empty(t, defects)
}

// throttle answers every second request with 429.
func throttle() registrytest.Fault {
	var count atomic.Uint32
	return func(w http.ResponseWriter, _ *http.Request) bool {
		if count.Add(1)*2654435761>>13%2 == 0 {
			return false
		}
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}
}

// damage makes a registry respond to the first two requests for each blob with other content.
func damage() registrytest.Fault {
	var mu sync.Mutex
	asked := map[string]int{}
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if asked[r.URL.Path]++; asked[r.URL.Path] > 2 {
			return false
		}
		_, _ = io.WriteString(w, "damaged on the way")
		return true
	}
}

// TestBadRegistries: registries that throttle, damage or lose content need at most a second run, no content is lost, and the waits are reported.
func TestBadRegistries(t *testing.T) {
	for name, spoil := range map[string]func(from, to *registrytest.Registry){
		"half of all requests to both are answered 429": func(from, to *registrytest.Registry) { from.Failing(throttle()); to.Failing(throttle()) },
		"each blob arrives damaged twice":               func(from, _ *registrytest.Registry) { from.Failing(damage()) },
	} {
		t.Run(name, func(t *testing.T) {
			from, to := registrytest.Start(t), registrytest.Start(t)
			pairs := mirrortest.Fill(t, from, to, 20, 0)
			spoil(from, to)
			journal := filepath.Join(t.TempDir(), "journal")
			var waits atomic.Int32
			run := func() error {
				opened, err := mirror.OpenJournal(journal)
				require.NoError(t, err)
				defer func() { _ = opened.Close() }()
				access := registry.Access{Pause: pause, Waiting: func(registry.Wait) { waits.Add(1) }}
				return mirror.Copier{Access: access, Journal: opened}.Copy(context.Background(), pairs)
			}
			if run() != nil {
				require.NoError(t, run(), "the second run")
			}
			if strings.Contains(name, "429") {
				require.Positive(t, waits.Load())
			}
			from.Failing(nil)
			to.Failing(nil)
			locked, err := mirror.Lock(context.Background(), registry.Access{}, pairs, 4, false)
			require.NoError(t, err)
			defects, err := mirror.Check(context.Background(), registry.Access{}, locked, 4, false)
			require.NoError(t, err)
			require.Empty(t, defects)
		})
	}
}

// TestReferrers: a signature by cosign's tag and a referrer by its subject are copied, locked and checked on request.
func TestReferrers(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 1, 0)
	digest := registrytest.DigestAt(t, pairs[0].Source)
	repository := from.Name + "/team/app-00"
	registrytest.Push(t, repository+":"+strings.Replace(digest, ":", "-", 1)+".sig", registrytest.Image(t, "a signature", 0))
	reference, err := name.ParseReference(pairs[0].Source)
	require.NoError(t, err)
	subject, err := remote.Head(reference)
	require.NoError(t, err)
	sbom, ok := mutate.Subject(registrytest.Image(t, "an SBOM", 0), *subject).(v1.Image)
	require.True(t, ok)
	hash, err := partial.Descriptor(sbom)
	require.NoError(t, err)
	registrytest.Push(t, repository+"@"+hash.Digest.String(), sbom)

	journal, err := mirror.OpenJournal("")
	require.NoError(t, err)
	ctx, access := context.Background(), registry.Access{Pause: pause}
	require.NoError(t, mirror.Copier{Access: access, Journal: journal}.Copy(ctx, pairs))
	locked, err := mirror.Lock(ctx, access, pairs, 1, true)
	require.NoError(t, err)
	require.Len(t, locked[0].Referrers, 2)
	defects, err := mirror.Check(ctx, access, locked, 1, false)
	require.NoError(t, err)
	require.Len(t, defects, 1)
	require.Contains(t, defects[0].Reason, "of referrer sha256:")
	require.NoError(t, mirror.Copier{Access: access, Journal: journal, Referrers: true}.Copy(ctx, pairs))
	defects, err = mirror.Check(ctx, access, locked, 1, false)
	require.NoError(t, err)
	require.Empty(t, defects)
}

func TestMalformedFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(folder, "file")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	hash := "sha256:" + strings.Repeat("0", 64)
	for text, want := range map[string]string{
		`[{"source":"a","target":"b","digest":"sha256:12"}]`:                                         `entry 1: "sha256:12" is not a digest`,
		`[{"source":"a","target":"b","digest":"` + hash + `","platforms":{"linux/amd64":"latest"}}]`: `"latest" is not a digest`,
		`[{"source":"A b","target":"b","digest":"` + hash + `"}]`:                                    `"A b" is not an image reference`,
		`[{"source":"[::1]:5000/a:1","target":"b","digest":"` + hash + `"}]`:                         "names its registry by an IPv6 address",
		`{}`: "it is not a list of images with digests",
	} {
		_, err := mirror.ReadLock(write(text))
		require.ErrorContains(t, err, want)
	}
	for text, want := range map[string]string{
		`{"source":"a","target":"b","digest":"x"}`:           `is damaged at byte 0: "x" is not a digest`,
		`{"target":"b","blob":"x"}`:                          `"x" is not a digest`,
		`{"target":"B B","blob":"` + hash + `"}`:             `"B B" is not an image reference`,
		`{"source":"","target":"b","digest":"` + hash + `"}`: "is not an image reference",
	} {
		_, err := mirror.OpenJournal(write(text + "\n"))
		require.ErrorContains(t, err, want)
	}
	link := filepath.Join(folder, "link")
	require.NoError(t, os.Symlink(filepath.Join(folder, "elsewhere"), link))
	_, err := mirror.OpenJournal(link)
	require.Error(t, err, "a journal is written through a symbolic link")
	require.NoFileExists(t, filepath.Join(folder, "elsewhere"))
	require.Error(t, mirror.WriteLock(link, nil))
	require.NoFileExists(t, filepath.Join(folder, "elsewhere"))
}

// TestRetryAfter: the pause that a registry requests is observed and reported; a pause of more than an hour ends the work with an error message.
func TestRetryAfter(t *testing.T) {
	date := time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat)
	for asked, ok := range map[string]bool{"1": true, date: true, "7200": false, time.Now().Add(2 * time.Hour).UTC().Format(http.TimeFormat): false} {
		var count atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if count.Add(1) == 1 {
				w.Header().Set("Retry-After", asked)
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}))
		var waits []registry.Wait
		host := strings.TrimPrefix(server.URL, "http://")
		_, err := mirror.Lock(context.Background(), registry.Access{Pause: pause, Waiting: func(w registry.Wait) { waits = append(waits, w) }},
			[]mapping.Pair{{Source: host + "/team/a:1", Target: host + "/team/b:1"}}, 1, false)
		require.Error(t, err)
		server.Close()
		if ok {
			require.Len(t, waits, 1)
			if asked == date {
				require.LessOrEqual(t, waits[0].For, 2*time.Second)
				waits[0].For = time.Second
			}
			require.Equal(t, []registry.Wait{{Host: host, For: time.Second, Asked: true}}, waits)
			require.NotContains(t, err.Error(), "limits the rate of requests")
			continue
		}
		require.Empty(t, waits)
		require.ErrorContains(t, err, "limits the rate of requests")
	}
}
