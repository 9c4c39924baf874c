// Package uninstall takes a runtime off its platform and its cluster where Helm cannot: objects whose controllers have
// to let go of them before they may vanish, and what programs made while they ran.
//
// Nothing here ever stands in the way of an uninstall: what cannot be done is said, with what is left to do by hand.
package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Cluster deletes objects.
type Cluster interface {
	// Delete asks for the deletion of the object at an API path. Gone is true once the object does not exist.
	Delete(ctx context.Context, path string) (gone bool, err error)
}

// Platform removes a runtime from the account of a token.
type Platform interface {
	DeleteRuntime(ctx context.Context, name string) error
}

// Plan is what is to be done.
type Plan struct {
	Namespace string
	// Runtime is removed from Platform; neither is set where there is nothing to deregister.
	Runtime  string
	Platform Platform
	// Objects go one after the other: the next is deleted once the one before is gone.
	Objects []Object
	Cluster Cluster
	// Patience is the time for each object; Pause the time between looks at it.
	Patience, Pause time.Duration
}

// Run does all of the plan and writes a line about each step. It returns the number of steps that failed.
func Run(ctx context.Context, plan Plan, out io.Writer) int {
	failed := 0
	say := func(err error, done, undone, cure string) {
		if err == nil {
			fmt.Fprintf(out, "ok    %s\n", done)
			return
		}
		failed++
		fmt.Fprintf(out, "WARN  %s: %v\n      fix  %s\n", undone, err, cure)
	}
	if plan.Platform != nil {
		err := plan.Platform.DeleteRuntime(ctx, plan.Runtime)
		say(err, fmt.Sprintf("runtime %s is no longer registered", plan.Runtime), fmt.Sprintf("runtime %s is still registered", plan.Runtime),
			"remove it in the account's settings, under GitOps runtimes")
	}
	for _, object := range plan.Objects {
		err := plan.remove(ctx, object)
		say(err, fmt.Sprintf("%s is gone", object), fmt.Sprintf("%s is left", object),
			fmt.Sprintf("kubectl delete %s -n %s", object, plan.Namespace))
	}
	return failed
}

var errSlow = errors.New("its controller has not let go of it in time")

// remove deletes an object and returns once it is gone.
func (p Plan) remove(ctx context.Context, object Object) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.Patience, errSlow)
	defer cancel()
	for {
		gone, err := p.Cluster.Delete(ctx, object.Path(p.Namespace))
		if err != nil || gone {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(p.Pause):
		}
	}
}
