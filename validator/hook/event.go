package hook

import (
	"context"
	"fmt"
	"time"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/report"
)

// eventLimit is the maximum length of an Event's message in bytes.
const eventLimit = 1024

// Announcer creates Events.
type Announcer interface {
	Report(ctx context.Context, event cluster.Event) error
}

// Announce creates an Event about the hook Job, so that `kubectl get events` shows the reason after the Job is deleted.
func Announce(ctx context.Context, to Announcer, namespace, job string, outcome report.Report) error {
	err := to.Report(ctx, cluster.Event{
		Namespace: namespace, Kind: "Job", APIVersion: "batch/v1", Name: job,
		Reason: "ValuesRefused", Message: Message(outcome, eventLimit), At: time.Now(),
	})
	if err != nil {
		return fmt.Errorf("event: %w", err)
	}
	return nil
}
