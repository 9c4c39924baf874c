//go:build e2e

package e2e_test

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// argo returns a resource of one of Argo's namespaced kinds.
func argo(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: resource}
}

//go:embed testdata/objects
var manifests embed.FS

// objects returns a file of testdata/objects, in YAML. Words in capital letters are replaced by tests.
func objects(name string) string {
	text, err := manifests.ReadFile("testdata/objects/" + name + ".yaml")
	if err != nil {
		panic(err) // a wrong name in this package
	}
	return strings.TrimSuffix(string(text), "\n")
}

// documents reads objects from YAML documents.
func documents(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	var objects []*unstructured.Unstructured
	for document := range strings.SplitSeq(text, "\n---\n") {
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.UnmarshalStrict([]byte(document), &object.Object))
		objects = append(objects, object)
	}
	return objects
}

// runtimeNamespace returns a namespace for a runtime with default values, in YAML.
func runtimeNamespace(name string) string {
	return strings.ReplaceAll(namespaceOf(name), "restricted", "baseline")
}

// namespaceOf returns a namespace of the Pod Security level restricted, in YAML.
func namespaceOf(name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {pod-security.kubernetes.io/enforce: restricted}}}", name)
}

// apply applies YAML documents.
func (e *environment) apply(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, e.local.Kubectl.Apply(t.Context(), documents(t, text), time.Minute))
}

// applyHere applies YAML documents, and deletes the objects after the test.
func (e *environment) applyHere(t *testing.T, text string) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		assert.NoError(t, e.local.Kubectl.Delete(ctx, documents(t, text), time.Minute))
	})
	e.apply(t, text)
}

// object reads an object of one of Argo's kinds.
func (e *environment) object(ctx context.Context, resource, namespace, name string) (*unstructured.Unstructured, error) {
	return e.objects.Resource(argo(resource)).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
}

// field returns a string field of an object, "" if it does not exist.
func field(object *unstructured.Unstructured, path ...string) string {
	value, _, err := unstructured.NestedFieldNoCopy(object.Object, path...)
	if err != nil || value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// has returns a condition: the object has these values in these fields, whose paths are separated by dots.
func (e *environment) has(resource, namespace, name string, want map[string]string) func(context.Context) error {
	return func(ctx context.Context) error {
		object, err := e.object(ctx, resource, namespace, name)
		if err != nil {
			return err
		}
		for path, value := range want {
			if got := field(object, strings.Split(path, ".")...); got != value {
				return fmt.Errorf("%s of %s/%s is %q and not %q: %v", path, resource, name, got, value, object.Object["status"])
			}
		}
		return nil
	}
}
