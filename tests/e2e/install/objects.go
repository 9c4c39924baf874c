package install

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/images"
)

// namespaceObjects returns the runtime's namespace. It enforces the Pod Security level baseline: programs whose images are not known, and workflows of
// users, run as their images say. With values-restricted.yaml it enforces the level restricted.
func namespaceObjects(restricted bool) []*unstructured.Unstructured {
	level := "baseline"
	if restricted {
		level = "restricted"
	}
	return []*unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "Namespace",
		"metadata": map[string]any{
			"name":   Namespace,
			"labels": map[string]any{"pod-security.kubernetes.io/enforce": level},
		},
	}}}
}

// objectsFor returns the objects of a mode other than the runtime.
func objectsFor(m mode, options addons.Options) ([]*unstructured.Unstructured, error) {
	m.platform(&options)
	if m.name != images.Tunnel {
		options.TunnelServer = nil
	}
	return addons.Objects(options)
}

// removeOthers deletes the objects of the other modes that this one does not need.
func (l *Local) removeOthers(ctx context.Context, own mode, options addons.Options, keep []*unstructured.Unstructured) error {
	kept := map[string]bool{}
	for _, object := range keep {
		kept[key(object)] = true
	}
	var gone []*unstructured.Unstructured
	for _, other := range modes() {
		if other.name == own.name {
			continue
		}
		objects, err := objectsFor(other, options)
		if err != nil {
			return err
		}
		for _, object := range objects {
			if !kept[key(object)] {
				gone = append(gone, object)
			}
		}
	}
	return l.Kubectl.Delete(ctx, gone, time.Minute)
}

func key(object *unstructured.Unstructured) string {
	return object.GroupVersionKind().String() + "/" + object.GetNamespace() + "/" + object.GetName()
}
