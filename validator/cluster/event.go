package cluster

import (
	"context"
	"net/url"
	"time"
)

// Event is a message that `kubectl get events` and `kubectl describe` show.
type Event struct {
	Namespace string
	// Kind, APIVersion, Name and UID identify the object that the event is about.
	Kind, APIVersion, Name, UID string
	// Reason is one word; Message has at most 1024 bytes.
	Reason, Message string
	At              time.Time
}

// Report creates an Event of the type Warning.
func (c *Client) Report(ctx context.Context, event Event) error {
	at := event.At.UTC().Format(time.RFC3339)
	about := map[string]any{"kind": event.Kind, "apiVersion": event.APIVersion, "name": event.Name, "namespace": event.Namespace}
	if event.UID != "" {
		about["uid"] = event.UID
	}
	return c.ask(ctx, question{
		verb: "create", resource: "events",
		path: "/api/v1/namespaces/" + url.PathEscape(event.Namespace) + "/events",
		body: map[string]any{
			"apiVersion": "v1", "kind": "Event", "type": "Warning",
			"metadata":       map[string]any{"generateName": event.Name + "-", "namespace": event.Namespace},
			"involvedObject": about,
			"reason":         event.Reason, "message": event.Message,
			"firstTimestamp": at, "lastTimestamp": at, "count": 1,
			"source": map[string]any{"component": "validate-values"},
		},
	}, nil)
}
