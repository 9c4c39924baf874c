//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/install"
)

// prepareEvents creates an event bus of three servers, an event source and a sensor that forwards events to the platform.
func (s *scale) prepareEvents(t *testing.T) {
	s.apply(t, hookOn(3))
	s.subscribed(t, install.Namespace, "e2e-hook")
	s.answer(t, http.StatusOK, time.Minute, pushed(-1))
}

// sendEvents sends webhooks at a steady rate through the tunnel, each until it is accepted, and waits until all have arrived.
func (s *scale) sendEvents(t *testing.T, rate, minutes int) {
	count := rate * minutes
	var accepted, again atomic.Int64
	var senders sync.WaitGroup
	begun := time.Now()
	behind := make(chan int, 1)
	watching, stop := context.WithCancel(t.Context())
	go func() { behind <- s.behind(watching, t, &accepted) }()
	for i := range count {
		time.Sleep(time.Until(begun.Add(time.Duration(i) * time.Minute / time.Duration(rate))))
		senders.Go(func() {
			for end := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
				got, err := s.ask(t.Context(), pushed(firstWebhook+i))
				if err == nil && got.status == http.StatusOK {
					accepted.Add(1)
					return
				}
				again.Add(1)
				if !assert.False(t, time.Now().After(end), "webhook %d is not accepted: status %d: %v", i, got.status, err) {
					return
				}
			}
		})
	}
	senders.Wait()
	sent := time.Now()
	stop()
	s.until(t, "every webhook has arrived", 3*time.Minute, func(ctx context.Context) error {
		missing, err := s.platform(t).missing(ctx, firstWebhook, firstWebhook+count)
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("%d of %d are missing, the first %d", len(missing), count, missing[0])
		}
		return err
	})
	t.Logf("%d events in %.0f s: %d were sent again, at most %d were on their way at a time, the last arrived within %.0f s, none was lost",
		count, sent.Sub(begun).Seconds(), again.Load(), <-behind, time.Since(sent).Seconds())
}

// behind returns the largest number of webhooks that were accepted and had not yet arrived.
func (s *scale) behind(ctx context.Context, t *testing.T, accepted *atomic.Int64) int {
	most := 0
	for ctx.Err() == nil {
		before := int(accepted.Load())
		if bodies, err := s.platform(t).inbox(ctx, "e2e-hook"); err == nil {
			most = max(most, before+1-len(bodies)) // and the one of prepareEvents
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
		}
	}
	return most
}

// createSources creates event sources of one webhook each and a sensor that listens to all of them, waits until they are deployed, and sends a
// webhook through each.
func (s *scale) createSources(t *testing.T, count int) {
	objects := strings.Split(hookOn(1), "\n---\n")
	require.Len(t, objects, 3)
	var sensor map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(objects[2], "name: e2e-hook", "name: e2e-source")), &sensor))
	spec, _ := sensor["spec"].(map[string]any)
	var dependencies, triggers []any
	begun := time.Now()
	for i := range count {
		name := fmt.Sprintf("e2e-source-%02d", i)
		s.apply(t, strings.NewReplacer("eventBusName: e2e-hook", "eventBusName: e2e-hook", "e2e-hook", name).Replace(objects[1]))
		dependencies = append(dependencies, map[string]any{"name": name, "eventSourceName": name, "eventName": "push"})
		triggers = append(triggers, triggerOf(t, objects[2], name))
	}
	spec["dependencies"], spec["triggers"] = dependencies, triggers
	text, err := yaml.Marshal(sensor)
	require.NoError(t, err)
	s.apply(t, string(text))
	s.subscribed(t, install.Namespace, "e2e-source")
	for i := range count {
		s.answer(t, http.StatusOK, 5*time.Minute, request{
			method: http.MethodPost, path: fmt.Sprintf("/webhooks/codefresh/e2e-source-%02d/push", i), body: fmt.Sprintf(`{"source":%d}`, i),
			header: map[string]string{"Content-Type": "application/json"},
		})
	}
	s.until(t, "a webhook of every event source has arrived", 2*time.Minute, func(ctx context.Context) error {
		bodies, err := s.platform(t).inbox(ctx, "e2e-source")
		if err != nil {
			return err
		}
		arrived := map[any]bool{}
		for _, body := range bodies {
			pushed, _ := body["pushed"].(map[string]any)
			arrived[pushed["source"]] = true
		}
		if len(arrived) < count {
			return fmt.Errorf("%d of %d", len(arrived), count)
		}
		return nil
	})
	t.Logf("%d event sources were deployed, and had a webhook through each, after %.0f s", count, time.Since(begun).Seconds())
}

// triggerOf returns the trigger of the hook's sensor for one dependency.
func triggerOf(t *testing.T, sensor, dependency string) any {
	t.Helper()
	text := strings.NewReplacer("dependencyName: push", "dependencyName: "+dependency, "name: platform", "name: "+dependency+"\n      conditions: "+dependency,
		"/test/inbox/e2e-hook", "/test/inbox/e2e-source").Replace(sensor)
	var object struct {
		Spec struct{ Triggers []any }
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object))
	require.Len(t, object.Spec.Triggers, 1)
	return object.Spec.Triggers[0]
}
