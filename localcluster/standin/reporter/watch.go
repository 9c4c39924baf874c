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

// applicationKind is what app mode watches.
func applicationKind() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
}

// resourceKinds are what resource mode watches: what the platform shows of Rollouts and Workflows, and Deployments. Whether the
// real reporter watches more is unknown.
func resourceKinds() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"},
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "analysisruns"},
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "apps", Version: "v1", Resource: "replicasets"},
	}
}

// follow lists a kind and watches it from there until ctx ends, and sends what it sees to changes. A kind that the cluster does not
// have is looked for again after pause, as is one whose watch fails.
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

// followOnce ends when the watch does; what happens until the next one begins is in its list.
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

// send hands on a change of an object that the runtime is to report, without the fields that only the API server manages.
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

// reports says whether an object is the runtime's to report: every one of resource mode, and the Applications of the runtime's own
// namespace and of those that ARGOCD_APPLICATION_NAMESPACES names, by patterns as Argo CD has them.
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

// watched is the namespace that is watched, empty for all.
func (p *Program) watched() string {
	if p.settings.Namespaced || (p.settings.Mode == modeApp && p.settings.ApplicationNamespaces == "") {
		return p.namespace
	}
	return metav1.NamespaceAll
}
