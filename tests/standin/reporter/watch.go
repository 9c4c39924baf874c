package reporter

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// change is an object that was added, changed or deleted.
type change struct {
	object  *unstructured.Unstructured
	deleted bool
}

// applicationKind returns the kind that app mode watches.
func applicationKind() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
}

// resourceKinds returns the kinds that resource mode watches: the kinds of Rollouts and Workflows that the platform shows, and Deployments. Whether
// the real reporter watches more is unknown.
func resourceKinds() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"},
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "analysisruns"},
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "apps", Version: "v1", Resource: "replicasets"},
	}
}

// follow lists a kind and then watches it until ctx ends, and sends the objects to changes. If the cluster does not have the kind or the watch fails,
// it starts again after pause.
func (p *Program) follow(ctx context.Context, kind schema.GroupVersionResource, namespace string, pause time.Duration, changes chan<- change) {
	missing := false
	for ctx.Err() == nil {
		err := p.followOnce(ctx, kind, namespace, changes)
		if apierrors.IsNotFound(err) {
			if !missing {
				p.log.InfoContext(ctx, "the cluster does not have this kind yet", "kind", kind.GroupResource())
			}
			missing = true
		} else if err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "watching failed", "kind", kind.GroupResource(), "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// followOnce returns when the watch ends; the list of the next call contains the changes until then.
func (p *Program) followOnce(ctx context.Context, kind schema.GroupVersionResource, namespace string, changes chan<- change) error {
	objects := p.objects.Resource(kind).Namespace(namespace)
	list, err := objects.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing %s: %w", kind.GroupResource(), err)
	}
	for i := range list.Items {
		p.send(ctx, changes, change{object: &list.Items[i]})
	}
	following, err := objects.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return fmt.Errorf("watching %s: %w", kind.GroupResource(), err)
	}
	defer following.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-following.ResultChan():
			if !open {
				return nil
			}
			if event.Type == watch.Error {
				return fmt.Errorf("watching %s: %w", kind.GroupResource(), apierrors.FromObject(event.Object))
			}
			if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Bookmark {
				p.send(ctx, changes, change{object: object, deleted: event.Type == watch.Deleted})
			}
		}
	}
}

// send sends a change of an object that the runtime reports, without the fields that only the API server manages.
func (p *Program) send(ctx context.Context, changes chan<- change, one change) {
	if !p.reports(one.object) {
		return
	}
	one.object.SetManagedFields(nil)
	select {
	case changes <- one:
	case <-ctx.Done():
	}
}

// reports reports whether the runtime reports an object: every object in resource mode; in app mode the Applications of the runtime's namespace and
// of those that match ARGOCD_APPLICATION_NAMESPACES, with patterns as in Argo CD.
func (p *Program) reports(object *unstructured.Unstructured) bool {
	if p.settings.Mode != modeApp {
		return true
	}
	namespace := object.GetNamespace()
	return namespace == p.namespace || slices.ContainsFunc(strings.Split(p.settings.ApplicationNamespaces, ","), func(pattern string) bool {
		matched, err := path.Match(strings.TrimSpace(pattern), namespace)
		return err == nil && matched
	})
}

// watched returns the namespace to watch, empty for all.
func (p *Program) watched() string {
	if p.settings.Namespaced || (p.settings.Mode == modeApp && p.settings.ApplicationNamespaces == "") {
		return p.namespace
	}
	return metav1.NamespaceAll
}
