package mirror_test

import (
	"context"
	"net/http"
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

// TestPausedHost: while one host asks for a pause, the images of the others are copied, even with one job.
func TestPausedHost(t *testing.T) {
	paused, other, to := registrytest.Start(t), registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, paused, to, 3, 0)
	for i, pair := range mirrortest.Fill(t, other, to, 3, 0) {
		pairs = append(pairs, mapping.Pair{Source: pair.Source, Target: strings.Replace(pair.Target, "/team/", "/other/", 1)})
		require.NotEqual(t, pairs[i].Source, pair.Source)
	}
	var asked atomic.Bool
	paused.Failing(func(w http.ResponseWriter, _ *http.Request) bool {
		if asked.Swap(true) {
			return false
		}
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	journal, err := mirror.OpenJournal("")
	require.NoError(t, err)
	var finished []string
	report := func(event mirror.Event) { finished = append(finished, strings.Split(event.Pair.Source, "/")[0]) }
	start := time.Now()
	require.NoError(t, mirror.Copier{Access: registry.Access{Pause: pause}, Journal: journal, Jobs: 1, Report: report}.Copy(context.Background(), pairs))
	require.GreaterOrEqual(t, time.Since(start), 2*time.Second)
	require.Equal(t, []string{other.Name, other.Name, other.Name, paused.Name, paused.Name, paused.Name}, finished)
}
