//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/cluster"
	"gitops-runtime/tests/runtime"
	"gitops-runtime/tests/standin/platform"
)

// platformAPI is the test API of the platform's stand-in, asked from outside the cluster.
type platformAPI struct{ outside }

func (e *environment) platform(t *testing.T) platformAPI {
	t.Helper()
	return platformAPI{e.outside(t, runtime.Way{Scheme: "https", Host: runtime.PlatformHost, Port: cluster.HTTPS.Host})}
}

// reset makes the platform forget runtimes and events, as soon as it answers.
func (p platformAPI) reset(t *testing.T) {
	t.Helper()
	eventually(t, "the platform goes back to its seed", time.Minute, func(ctx context.Context) error {
		reply, err := p.ask(ctx, request{method: http.MethodPost, path: "/test/reset"})
		if err == nil && reply.status != http.StatusNoContent {
			err = fmt.Errorf("answer %d: %s", reply.status, reply.body)
		}
		return err
	})
}

// misbehaves makes the platform play a fault, in JSON, until clearFaults.
func (p platformAPI) misbehaves(t *testing.T, fault string) {
	t.Helper()
	p.answer(t, http.StatusNoContent, time.Minute, request{method: http.MethodPost, path: "/test/faults", body: fault})
}

// clearFaults ends all faults; it works after a test too.
func (p platformAPI) clearFaults(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := p.ask(ctx, request{method: http.MethodDelete, path: "/test/faults"}); err != nil {
		t.Errorf("the platform goes on misbehaving: %v", err)
	}
}

// events are those that runtimes have reported of a type.
func (p platformAPI) events(ctx context.Context, kind string) ([]platform.Event, error) {
	reply, err := p.ask(ctx, request{path: "/test/events?type=" + url.QueryEscape(kind)})
	if err != nil {
		return nil, err
	}
	var events []platform.Event
	if err := json.Unmarshal(reply.body, &events); err != nil {
		return nil, fmt.Errorf("answer %d is no list of events: %w", reply.status, err)
	}
	return events, nil
}

// runtimes are the names of the account's runtimes.
func (p platformAPI) runtimes(t *testing.T) []string {
	t.Helper()
	var listed []platform.Runtime
	require.NoError(t, json.Unmarshal(p.answer(t, http.StatusOK, time.Minute, request{path: "/test/runtimes"}).body, &listed))
	names := []string{}
	for _, one := range listed {
		if one.Account == runtime.AccountID {
			names = append(names, one.Name)
		}
	}
	return names
}

// hears waits until the platform has an event of a type that matches, and gives it. It has to come with the runtime's own token.
func (p platformAPI) hears(t *testing.T, kind string, matches func(payload map[string]any) bool) map[string]any {
	t.Helper()
	var found platform.Event
	var payload map[string]any
	eventually(t, "the platform hears of "+kind, time.Minute, func(ctx context.Context) error {
		events, err := p.events(ctx, kind)
		if err != nil {
			return err
		}
		for _, event := range events {
			payload = nil
			if err := json.Unmarshal(event.Payload, &payload); err == nil && matches(payload) {
				found = event
				return nil
			}
		}
		return fmt.Errorf("none of %d events of the type %s is it", len(events), kind)
	})
	require.Equal(t, [2]string{runtime.AccountID, runtime.Name}, [2]string{found.Account, found.Runtime}, "whose token the event came with")
	return payload
}

// hearsOf waits until an event reporter has told the platform of an object.
func (p platformAPI) hearsOf(t *testing.T, resource, namespace, name string) {
	t.Helper()
	payload := p.hears(t, resource, func(payload map[string]any) bool {
		object, _ := payload["object"].(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		return metadata["namespace"] == namespace && metadata["name"] == name
	})
	require.Equal(t, runtime.Name, payload["runtime"])
	require.Contains(t, []any{"ADD", "UPDATE"}, payload["action"])
}
