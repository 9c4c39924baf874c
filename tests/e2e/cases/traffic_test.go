//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Rates of the traffic that passes the runtime during faults.
const (
	requestsEvery = 50 * time.Millisecond
	webhooksEvery = 500 * time.Millisecond
)

// firstWebhook is the number of the first webhook: other tests use lower numbers, and each further event bus starts higher by as much.
const firstWebhook = 1000

// outcome is the result of a request and when it was sent; done is false while it is in flight.
type outcome struct {
	sent time.Time
	done bool
	err  error
}

// traffic are requests and webhooks that pass the runtime from outside until it is stopped.
type traffic struct {
	access
	first int // number of the first webhook
	stop  context.CancelFunc
	group sync.WaitGroup
	work  worker // in parallel, or nil

	mu       sync.Mutex
	outcomes []*outcome
	accepted int   // webhooks that were accepted, numbered from first
	again    []int // webhooks that had to be sent again
}

// worker gives the runtime work in parallel, and waits until it is done.
type worker interface {
	// upToDate returns a condition: all work so far is done.
	upToDate() func(context.Context) error
	// settled waits until all work is done; nothing may fail.
	settled(t *testing.T) done
}

// done is how much of the work was done up to a time; longest is the longest time from a commit to the cluster since the last one.
type done struct {
	synced, submitted int
	longest           time.Duration
}

// begin starts sending; webhooks are numbered from first.
func (a access) begin(ctx context.Context, first int) *traffic {
	ctx, cancel := context.WithCancel(ctx)
	of := &traffic{access: a, first: first, stop: cancel}
	of.group.Go(func() { of.requests(ctx) })
	of.group.Go(func() { of.webhooks(ctx) })
	return of
}

// end stops and waits for requests in flight.
func (f *traffic) end() {
	f.stop()
	f.group.Wait()
}

// requests sends requests at a steady rate.
func (f *traffic) requests(ctx context.Context) {
	steadily(ctx, requestsEvery, func(ctx context.Context) {
		made := &outcome{sent: time.Now()}
		f.mu.Lock()
		f.outcomes = append(f.outcomes, made)
		f.mu.Unlock()
		got, err := f.ask(ctx, request{path: "/app-proxy/hello"})
		if err == nil && got.status != http.StatusOK {
			err = fmt.Errorf("status %d", got.status)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		made.done, made.err = true, err
	})
}

// steadily calls send at a steady rate without waiting for earlier calls, until the context ends; then it waits for all. Calls are not canceled.
func steadily(ctx context.Context, every time.Duration, send func(context.Context)) {
	var group sync.WaitGroup
	defer group.Wait()
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			group.Go(func() { send(context.WithoutCancel(ctx)) })
		}
	}
}

// webhooks sends webhooks one by one, each until it is accepted, as Git providers do.
func (f *traffic) webhooks(ctx context.Context) {
	for number := f.first; ctx.Err() == nil; number++ {
		for tried := 0; ; tried++ {
			got, err := f.ask(context.WithoutCancel(ctx), pushed(number))
			if err == nil && got.status == http.StatusOK {
				break
			}
			if ctx.Err() != nil {
				return
			}
			if tried == 0 {
				f.mu.Lock()
				f.again = append(f.again, number)
				f.mu.Unlock()
			}
			time.Sleep(time.Second)
		}
		f.mu.Lock()
		f.accepted++
		f.mu.Unlock()
		time.Sleep(webhooksEvery)
	}
}

// lost returns how many requests were sent between two times and how many of them failed, once all have ended, and the last failure.
func (f *traffic) lost(t *testing.T, from, to time.Time) (sent, failed int, last string) {
	t.Helper()
	eventually(t, "every request has ended", time.Minute, func(context.Context) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		sent, failed, last = 0, 0, ""
		for _, o := range f.outcomes {
			switch {
			case o.sent.Before(from) || o.sent.After(to):
				continue
			case !o.done:
				return fmt.Errorf("a request sent at %s is in flight", o.sent)
			case o.err != nil:
				failed++
				last = fmt.Sprintf("after %s: %v", o.sent.Sub(from).Round(time.Millisecond), o.err)
			}
			sent++
		}
		return nil
	})
	return sent, failed, last
}

// deliveries counts webhooks: those that were accepted, those of them that had to be sent again, and those that arrived more than once though
// they were accepted at the first attempt.
type deliveries struct{ accepted, again, twice int }

// delivered waits until every webhook that was accepted has arrived at the platform.
func (f *traffic) delivered(t *testing.T) deliveries {
	t.Helper()
	f.mu.Lock()
	all := deliveries{accepted: f.accepted, again: len(f.again)}
	resent := map[int]bool{}
	for _, number := range f.again {
		resent[number] = true
	}
	f.mu.Unlock()
	eventually(t, "every webhook has arrived", 5*time.Minute, func(ctx context.Context) error {
		missing, err := f.platform(t).missing(ctx, f.first, f.first+all.accepted)
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("of %d without %v", all.accepted, missing)
		}
		return err
	})
	bodies, err := f.platform(t).inbox(t.Context(), "e2e-hook")
	require.NoError(t, err)
	times := map[int]int{}
	for _, body := range bodies {
		pushed, _ := body["pushed"].(map[string]any)
		if number, ok := pushed["number"].(float64); ok && int(number) >= f.first {
			times[int(number)]++
		}
	}
	for number, count := range times {
		if count > 1 && number < f.first+all.accepted && !resent[number] {
			all.twice++
		}
	}
	return all
}
