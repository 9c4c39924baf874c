package mirror_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

const pause = 2 * time.Millisecond

// copyAll runs one copy with a journal and returns the number of each outcome.
func copyAll(t *testing.T, ctx context.Context, journal string, pairs []mapping.Pair) (map[mirror.Outcome]int, error) {
	t.Helper()
	opened, err := mirror.OpenJournal(journal)
	require.NoError(t, err)
	outcomes := map[mirror.Outcome]int{}
	err = mirror.Copier{
		Access: registry.Access{Pause: pause}, Journal: opened, Jobs: 4,
		Report: func(event mirror.Event) { outcomes[event.Outcome]++ },
	}.Copy(ctx, pairs)
	require.NoError(t, opened.Close())
	return outcomes, err
}

func TestCopyIsComplete(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 50, 0)
	journal := filepath.Join(t.TempDir(), "journal")

	outcomes, err := copyAll(t, context.Background(), journal, pairs)
	require.NoError(t, err)
	require.Equal(t, map[mirror.Outcome]int{mirror.Copied: 50}, outcomes)
	for _, pair := range pairs {
		require.Equal(t, registrytest.DigestAt(t, pair.Source), registrytest.DigestAt(t, pair.Target), pair.Target)
	}
	require.Empty(t, to.Twice(), "a blob is uploaded twice")

	before := len(to.Uploads())
	outcomes, err = copyAll(t, context.Background(), journal, pairs)
	require.NoError(t, err)
	require.Equal(t, map[mirror.Outcome]int{mirror.Present: 50}, outcomes)
	require.Len(t, to.Uploads(), before)

	outcomes, err = copyAll(t, context.Background(), "", pairs)
	require.NoError(t, err)
	require.Equal(t, map[mirror.Outcome]int{mirror.Present: 50}, outcomes, "images are copied again without a journal")
}

func TestCopyResumesAfterInterruption(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 50, 0)
	journal := filepath.Join(t.TempDir(), "journal")
	ctx, cancel := context.WithCancel(context.Background())
	var manifests atomic.Int32
	to.Failing(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/v1") && manifests.Add(1) == 25 {
			cancel()
		}
		return false
	})
	outcomes, err := copyAll(t, ctx, journal, pairs)
	require.Regexp(t, `^interrupted, \d+ of 50 images are not done yet; run the command again to continue$`, err.Error())
	require.Greater(t, outcomes[mirror.Failed], 0)

	file, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"source":"cut sho`)
	require.NoError(t, err)
	require.NoError(t, file.Close())

	to.Failing(nil)
	_, err = copyAll(t, context.Background(), journal, pairs)
	require.NoError(t, err)
	for _, pair := range pairs {
		require.Equal(t, registrytest.DigestAt(t, pair.Source), registrytest.DigestAt(t, pair.Target), pair.Target)
	}
	require.Empty(t, to.Twice(), "a completed blob is uploaded again")
}

func TestCopyTagAndDigest(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	registrytest.Push(t, from.Name+"/app:v1", registrytest.List(t, "pinned", 0))
	digest := registrytest.DigestAt(t, from.Name+"/app:v1")
	pairs := []mapping.Pair{{Source: from.Name + "/app:v1@" + digest, Target: to.Name + "/app:v1@" + digest}}
	_, err := copyAll(t, context.Background(), "", pairs)
	require.NoError(t, err)
	require.Equal(t, digest, registrytest.DigestAt(t, to.Name+"/app:v1"))
	require.Equal(t, digest, registrytest.DigestAt(t, to.Name+"/app@"+digest))
}

func TestCopyWaitsOnRequest(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 1, 0)
	var asked atomic.Int32
	from.Failing(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/manifests/") && asked.Add(1) <= 2 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		return false
	})
	outcomes, err := copyAll(t, context.Background(), "", pairs)
	require.NoError(t, err)
	require.Equal(t, map[mirror.Outcome]int{mirror.Copied: 1}, outcomes)
}

func TestCopyFailures(t *testing.T) {
	answer := func(status int, body string) registrytest.Fault {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/v2/" {
				return false
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	refuse := func(status int, body string) registrytest.Fault {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet || r.Method == http.MethodHead {
				return false
			}
			return answer(status, body)(w, r)
		}
	}
	cases := []struct {
		name     string
		atSource bool
		fail     registrytest.Fault
		want     string
	}{
		{"login needed", true, answer(http.StatusUnauthorized, ""), "read SOURCE/team/app-00:v1 failed: SOURCE answers 401; log in with `helm registry login SOURCE` or `docker login SOURCE`"},
		{"forbidden", false, answer(http.StatusForbidden, ""), "copy SOURCE/team/app-00:v1 failed: TARGET answers 403; the account in use at TARGET lacks permission; use another one"},
		{"unknown image", true, answer(http.StatusNotFound, ""), "read SOURCE/team/app-00:v1 failed: SOURCE answers 404; check the name and the tag"},
		{"too many requests", true, answer(http.StatusTooManyRequests, ""), "read SOURCE/team/app-00:v1 failed: SOURCE answers 429; SOURCE limits the rate of requests; log in, send fewer at a time, or run again later"},
		{"forbidden, with a message", false, refuse(http.StatusForbidden, `{"errors": [{"code": "DENIED", "message": "Project is\nread-only"}]}`), "copy SOURCE/team/app-00:v1 failed: TARGET answers 403 (project is read-only); the account in use at TARGET lacks permission; use another one"},
		{"internal error", false, answer(http.StatusBadGateway, ""), "copy SOURCE/team/app-00:v1 failed: TARGET answers 502; TARGET has an internal error; run again later"},
		{"disk full", false, answer(http.StatusInsufficientStorage, ""), "copy SOURCE/team/app-00:v1 failed: TARGET answers 507; TARGET has no space left; free some space and run again"},
		{"disk full, as most registries report it", false, refuse(http.StatusInternalServerError, `{"errors": [{"code": "UNKNOWN", "message": "write /data/x: no space left on device"}]}`), "copy SOURCE/team/app-00:v1 failed: TARGET answers 500 (write /data/x: no space left on device); TARGET has no space left; free some space and run again"},
		{"dropped connection", false, func(w http.ResponseWriter, r *http.Request) bool {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = connection.Close()
			}
			return true
		}, "copy SOURCE/team/app-00:v1 failed: TARGET dropped the connection; run the command again to continue"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			from, to := registrytest.Start(t), registrytest.Start(t)
			pairs := mirrortest.Fill(t, from, to, 1, 0)
			journal := filepath.Join(t.TempDir(), "journal")
			failing := to
			if test.atSource {
				failing = from
			}
			failing.Failing(test.fail)
			outcomes, err := copyAll(t, context.Background(), journal, pairs)
			require.EqualError(t, err, strings.NewReplacer("SOURCE", from.Name, "TARGET", to.Name).Replace(test.want))
			require.Equal(t, map[mirror.Outcome]int{mirror.Failed: 1}, outcomes)

			failing.Failing(nil)
			_, err = copyAll(t, context.Background(), journal, pairs)
			require.NoError(t, err, "the next run does not continue")
			require.Equal(t, registrytest.DigestAt(t, pairs[0].Source), registrytest.DigestAt(t, pairs[0].Target))
		})
	}
}

func TestDamagedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(path, []byte("nonsense\n"), 0o644))
	_, err := mirror.OpenJournal(path)
	require.EqualError(t, err, "journal "+path+" is damaged at byte 0: invalid character 'o' in literal null (expecting 'u'); remove the file to start over")
}
