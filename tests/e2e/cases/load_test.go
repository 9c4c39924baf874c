//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The load on internal-router while it is rolled out.
const (
	loadRate     = 200 // requests a second
	loadDuration = 30 * time.Second
)

// routerRollout checks that no request is lost when internal-router is replaced under load.
func (a access) routerRollout(t *testing.T) {
	before := a.pods(t, "app.kubernetes.io/name=internal-router")
	a.answer(t, http.StatusOK, time.Minute, request{path: "/app-proxy/hello"})
	replaced := make(chan error, 1)
	go func() {
		time.Sleep(loadDuration / 6) // first only the old pod has load
		replaced <- a.restart(t.Context(), "internal-router", loadDuration)
	}()
	begun := time.Now()
	lost := a.load(t.Context(), request{path: "/app-proxy/hello"})
	t.Logf("%d requests in %s", loadRate*int(loadDuration/time.Second), time.Since(begun).Round(time.Millisecond))
	require.NoError(t, <-replaced)
	assert.Empty(t, lost)
	after := a.pods(t, "app.kubernetes.io/name=internal-router")
	for pod := range before {
		assert.NotContains(t, after, pod, "the router was not replaced")
	}
}

// load sends requests at a steady rate for a while, and returns the failures.
func (o outside) load(ctx context.Context, r request) []string {
	var mu sync.Mutex
	var lost []string
	var group sync.WaitGroup
	begun := time.Now()
	for i := range loadRate * int(loadDuration/time.Second) {
		time.Sleep(time.Until(begun.Add(time.Duration(i) * time.Second / loadRate)))
		group.Go(func() {
			got, err := o.ask(ctx, r)
			if err == nil && got.status != http.StatusOK {
				err = fmt.Errorf("status %d: %s", got.status, got.body)
			}
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				lost = append(lost, fmt.Sprintf("after %s: %v", time.Since(begun).Round(time.Millisecond), err))
			}
		})
	}
	group.Wait()
	return lost
}
