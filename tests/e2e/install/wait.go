package install

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// eventKinds returns the kinds for which Argo Events creates workloads; Helm does not know them and does not wait for them.
func eventKinds() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "eventbus"},
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "eventsources"},
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "sensors"},
	}
}

// wait returns once every event object is deployed and every pod of every workload is ready.
func (l *Local) wait(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", l.Helm.Kubeconfig)
	if err != nil {
		return fmt.Errorf("kubeconfig %s: %w", l.Helm.Kubeconfig, err)
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	typed, err := client(l.Helm.Kubeconfig)
	if err != nil {
		return err
	}
	var missing []string
	for {
		if missing, err = undeployed(ctx, objects); err == nil && len(missing) == 0 {
			var all []Component
			if all, err = components(ctx, typed, Namespace, nil); err == nil {
				if missing = notReady(all); len(missing) == 0 {
					return nil
				}
			}
		}
		select {
		case <-ctx.Done():
			if err != nil {
				return fmt.Errorf("wait for the runtime: %w", err)
			}
			return fmt.Errorf("not ready after %s: %s", timeout, strings.Join(missing, ", "))
		case <-time.After(time.Second):
		}
	}
}

// undeployed returns the names of the event objects whose controller has not yet reported them deployed.
func undeployed(ctx context.Context, objects dynamic.Interface) ([]string, error) {
	var names []string
	for _, kind := range eventKinds() {
		list, err := objects.Resource(kind).Namespace(Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", kind.Resource, err)
		}
		for _, item := range list.Items {
			if !deployed(item) {
				names = append(names, fmt.Sprintf("%s/%s", kind.Resource, item.GetName()))
			}
		}
	}
	return names, nil
}

// deployed reports whether all conditions in the status of an Argo Events object are true.
func deployed(object unstructured.Unstructured) bool {
	conditions, found, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil || !found || len(conditions) == 0 {
		return false
	}
	for _, condition := range conditions {
		fields, ok := condition.(map[string]any)
		if !ok || fields["status"] != "True" {
			return false
		}
	}
	return true
}
