// Package uninstall removes a runtime from its platform and its cluster where Helm cannot: objects with finalizers of their controllers, and objects
// that programs created while they ran.
//
// A failed step never stops an uninstall: it is reported, with the manual steps that remain.
package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/platform"
)

// ownSecret is the Secret in which a registered runtime stores its own token.
const ownSecret = "codefresh-token"

// Cluster deletes objects, and reads the Secret that exists if the runtime was ever registered.
type Cluster interface {
	// Secret reads a Secret; a cluster.Error with NotFound if there is none.
	Secret(ctx context.Context, namespace, name string) (map[string][]byte, error)
	// Delete requests the deletion of the object at an API path. Gone is true once the object does not exist.
	Delete(ctx context.Context, path string) (gone bool, err error)
	// DeleteWithDependents is like Delete, but gone is true once the pods of a workload do not exist either.
	DeleteWithDependents(ctx context.Context, path string) (gone bool, err error)
	// DeleteLabeled requests the deletion of objects by their labels.
	DeleteLabeled(ctx context.Context, namespace string, objects cluster.Labeled) error
	// ReleaseLabeled removes the finalizers of objects, and returns the names of those that had any.
	ReleaseLabeled(ctx context.Context, namespace string, objects cluster.Labeled) ([]string, error)
}

// Platform finds and removes the runtimes of a token's account.
type Platform interface {
	// Runtime returns the runtime with a name, nil if there is none.
	Runtime(ctx context.Context, name string) (*platform.Runtime, error)
	DeleteRuntime(ctx context.Context, name string) error
}

// Plan contains the steps of an uninstall.
type Plan struct {
	Namespace string
	// Runtime is removed from Platform; neither is set if there is nothing to deregister.
	Runtime  string
	Platform Platform
	// Registrar is the workload that registers the runtime as it starts; nil if there is none.
	Registrar *cluster.Object
	// Objects are deleted one after the other, each after the previous one is gone.
	Objects []cluster.Object
	// Release are objects whose finalizers are removed, and Labeled objects that are deleted.
	Release, Labeled []cluster.Labeled
	Cluster          Cluster
	// Patience is the time limit for each object, and for a response of the platform; Pause is the time between two attempts.
	Patience, Pause time.Duration
}

// Run performs all steps of the plan and writes a line about each. It returns the number of steps that failed.
func Run(ctx context.Context, plan Plan, out io.Writer) int {
	failed := 0
	note := func(err error, done, undone, fix string) {
		if err == nil {
			fmt.Fprintf(out, "ok    %s\n", cleantext.Line(done))
			return
		}
		failed++
		fmt.Fprintf(out, "WARN  %s: %s\n      fix  %s\n", cleantext.Line(undone), cleantext.Line(err.Error()), cleantext.Line(fix))
	}
	if plan.Platform != nil {
		done, err := plan.deregisterPatiently(ctx)
		note(err, done, fmt.Sprintf("runtime %s is still registered", plan.Runtime), "remove it in the account's settings, under GitOps runtimes")
	}
	for _, objects := range plan.Release {
		names, err := plan.Cluster.ReleaseLabeled(ctx, plan.Namespace, objects)
		note(err, released(objects, names), fmt.Sprintf("%s may keep their finalizers", objects), "remove them with kubectl edit, after their controller is deleted")
	}
	for _, objects := range plan.Labeled {
		err := plan.Cluster.DeleteLabeled(ctx, plan.Namespace, objects)
		note(err, fmt.Sprintf("%s are deleted", objects), fmt.Sprintf("%s are left", objects),
			fmt.Sprintf("kubectl delete %s -n %s", objects, cleantext.Argument(plan.Namespace)))
	}
	for _, object := range plan.Objects {
		err := plan.remove(ctx, object, plan.Cluster.Delete)
		note(err, fmt.Sprintf("%s is gone", object), fmt.Sprintf("%s is left", object),
			fmt.Sprintf("kubectl delete %s -n %s", object, cleantext.Argument(plan.Namespace)))
	}
	return failed
}

func released(objects cluster.Labeled, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("%s have no finalizers", objects)
	}
	return fmt.Sprintf("%s have no finalizers anymore: %s", objects, strings.Join(names, ", "))
}

// deregisterPatiently retries while there is no response: the network policies of a pod that has just started may not be in effect yet.
func (p Plan) deregisterPatiently(ctx context.Context) (done string, err error) {
	for end := time.Now().Add(p.Patience); ; {
		done, err = p.deregister(ctx)
		var failure *netfail.Failure
		if !errors.As(err, &failure) || failure.Untrusted || time.Now().After(end) {
			return done, err
		}
		select {
		case <-ctx.Done():
			return done, err
		case <-time.After(p.Pause):
		}
	}
}

// deregister removes the runtime from the platform, if this release has registered it. A rejected install that Helm rolls back (--atomic) runs this,
// too, and the name it requested may belong to another runtime.
func (p Plan) deregister(ctx context.Context) (done string, err error) {
	here, err := p.registeredHere(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("whether it was registered from here is unknown: %w", err)
	case !here:
		return fmt.Sprintf("this release has registered no runtime: there is no Secret %s", ownSecret), nil
	}
	registered, err := p.Platform.Runtime(ctx, p.Runtime)
	switch {
	case err != nil:
		return "", err
	case registered == nil:
		return fmt.Sprintf("runtime %s is not registered", p.Runtime), nil
	case registered.Metadata.Namespace != "" && registered.Metadata.Namespace != p.Namespace: // the platform may not have recorded it
		return fmt.Sprintf("runtime %s of the account is another one, in namespace %s", p.Runtime, registered.Metadata.Namespace), nil
	}
	return fmt.Sprintf("runtime %s is no longer registered", p.Runtime), p.Platform.DeleteRuntime(ctx, p.Runtime)
}

// registeredHere reports whether this release has registered a runtime: the runtime's token exists. If it does not, an install that was interrupted may
// be registering the runtime right now, so the workload that does it is stopped before the second look.
func (p Plan) registeredHere(ctx context.Context) (bool, error) {
	found, err := p.hasToken(ctx)
	if found || err != nil || p.Registrar == nil {
		return found, err
	}
	if err := p.remove(ctx, *p.Registrar, p.Cluster.DeleteWithDependents); err != nil {
		return false, fmt.Errorf("%s may still register it: %w", p.Registrar, err)
	}
	return p.hasToken(ctx)
}

func (p Plan) hasToken(ctx context.Context) (bool, error) {
	_, err := p.Cluster.Secret(ctx, p.Namespace, ownSecret)
	if cluster.NotFound(err) {
		return false, nil
	}
	return err == nil, err
}

var errSlow = errors.New("its controller has not let go of it in time")

// remove deletes an object with a method of the cluster and returns once it is gone.
func (p Plan) remove(ctx context.Context, object cluster.Object, by func(context.Context, string) (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.Patience, errSlow)
	defer cancel()
	for {
		gone, err := by(ctx, object.Path(p.Namespace))
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
