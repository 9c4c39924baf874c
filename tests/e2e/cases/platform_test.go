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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/e2e/kindcluster"
	"gitops-runtime/tests/standin/platformapi"
)

// platformAPI is the test API of the platform's stand-in, called from outside the cluster.
type platformAPI struct{ outside }

func (e *environment) platform(t *testing.T) platformAPI {
	t.Helper()
	return platformAPI{e.outside(t, install.Endpoint{Scheme: "https", Host: install.PlatformHost, Port: kindcluster.HTTPS.Host})}
}

// reset removes runtimes and events from the platform, as soon as it responds.
func (p platformAPI) reset(t *testing.T) {
	t.Helper()
	eventually(t, "the platform is reset to its seed", time.Minute, func(ctx context.Context) error {
		reply, err := p.ask(ctx, request{method: http.MethodPost, path: "/test/reset"})
		if err == nil && reply.status != http.StatusNoContent {
			err = fmt.Errorf("status %d: %s", reply.status, reply.body)
		}
		return err
	})
}

// misbehaves makes the platform simulate a fault, in JSON, until clearFaults.
func (p platformAPI) misbehaves(t *testing.T, fault string) {
	t.Helper()
	p.answer(t, http.StatusNoContent, time.Minute, request{method: http.MethodPost, path: "/test/faults", body: fault})
}

// clearFaults ends all faults; it also works after a test.
func (p platformAPI) clearFaults(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := p.ask(ctx, request{method: http.MethodDelete, path: "/test/faults"})
	assert.NoError(t, err, "the platform still misbehaves")
}

// events returns the events that runtimes have reported for a kind.
func (p platformAPI) events(ctx context.Context, kind string) ([]platformapi.Event, error) {
	reply, err := p.ask(ctx, request{path: "/test/events?kind=" + url.QueryEscape(kind)})
	if err != nil {
		return nil, err
	}
	var events []platformapi.Event
	if err := json.Unmarshal(reply.body, &events); err != nil {
		return nil, fmt.Errorf("status %d is not a list of events: %w", reply.status, err)
	}
	return events, nil
}

// inbox returns the bodies that were posted to an inbox.
func (p platformAPI) inbox(ctx context.Context, name string) ([]map[string]any, error) {
	reply, err := p.ask(ctx, request{path: inboxPath + name})
	if err != nil {
		return nil, err
	}
	var bodies []map[string]any
	if err := json.Unmarshal(reply.body, &bodies); err != nil {
		return nil, fmt.Errorf("status %d is not a list of objects: %w", reply.status, err)
	}
	return bodies, nil
}

// runtimes returns the names of the account's runtimes.
func (p platformAPI) runtimes(t *testing.T) []string {
	t.Helper()
	var listed []platformapi.Runtime
	require.NoError(t, json.Unmarshal(p.answer(t, http.StatusOK, time.Minute, request{path: "/test/runtimes"}).body, &listed))
	names := []string{}
	for _, one := range listed {
		if one.Account == install.AccountID {
			names = append(names, one.Name)
		}
	}
	return names
}

// inboxPath is where the platform accepts any JSON from triggers of a test.
const inboxPath = "/test/inbox/"

// getsEvent waits until the runtime's reporters have posted an event of an object, with the runtime token and gzipped. The platform accepts only
// events of the documented shape.
func (p platformAPI) getsEvent(t *testing.T, kind, namespace, name string) {
	t.Helper()
	var found platformapi.Event
	eventually(t, "the platform gets an event of the "+kind+" "+namespace+"/"+name, time.Minute, func(ctx context.Context) error {
		events, err := p.events(ctx, kind)
		if err != nil {
			return err
		}
		for _, event := range events {
			if event.Object.Namespace == namespace && event.Object.Name == name {
				found = event
				return nil
			}
		}
		return fmt.Errorf("none of %d events of the kind %s is about it", len(events), kind)
	})
	require.Equal(t, [2]string{install.AccountID, install.Name}, [2]string{found.Account, found.Runtime}, "the owner of the event's token")
	require.True(t, found.Gzipped)
}

// receives waits until an inbox has a body that matches, and returns it.
func (p platformAPI) receives(t *testing.T, name string, matches func(body map[string]any) bool) map[string]any {
	t.Helper()
	var found map[string]any
	eventually(t, "the inbox "+name+" receives it", time.Minute, func(ctx context.Context) error {
		bodies, err := p.inbox(ctx, name)
		if err != nil {
			return err
		}
		for _, body := range bodies {
			if matches(body) {
				found = body
				return nil
			}
		}
		return fmt.Errorf("none of %d bodies matches", len(bodies))
	})
	return found
}
