//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"gitops-runtime/tests/e2e/cases"
)

// inventory names what releases could have created outside namespaces, as resource/name.
func (e *environment) inventory(t *testing.T) []string {
	t.Helper()
	names, err := e.list(t.Context(), "")
	require.NoError(t, err)
	return names
}

// list names the objects of a namespace, or those outside of namespaces that releases could have created, as resource/name. It reads every resource
// that can be listed except events, which record the past.
func (e *environment) list(ctx context.Context, namespace string) ([]string, error) {
	var names []string
	err := e.each(ctx, namespace, func(resource metav1.APIResource, item metav1.PartialObjectMetadata) {
		names = append(names, resource.Name+"/"+item.Name)
	})
	slices.Sort(names)
	return names, err
}

// each calls a function with each object that list names.
func (e *environment) each(ctx context.Context, namespace string, see func(metav1.APIResource, metav1.PartialObjectMetadata)) error {
	e.known.Invalidate()
	groups, err := discovery.ServerPreferredResources(e.known)
	if err != nil {
		return err
	}
	for _, group := range groups {
		version, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return err
		}
		for _, resource := range group.APIResources {
			if resource.Namespaced != (namespace != "") || !slices.Contains(resource.Verbs, "list") || resource.Name == "events" {
				continue
			}
			if namespace == "" && !e2e.CreatedByReleases(version.WithResource(resource.Name).GroupResource()) {
				continue
			}
			listed, err := e.metadata.Resource(version.WithResource(resource.Name)).Namespace(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return fmt.Errorf("list %s: %w", resource.Name, err)
			}
			for _, item := range listed.Items {
				see(resource, item)
			}
		}
	}
	return nil
}

// clusterRevisions returns the revisions of CRDs, cluster roles and their bindings, except for hooks: a write changes the revision.
func (e *environment) clusterRevisions(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	rbac := schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	for _, resource := range []schema.GroupVersionResource{definitions, rbac.WithResource("clusterroles"), rbac.WithResource("clusterrolebindings")} {
		list, err := e.metadata.Resource(resource).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, item := range list.Items {
			if !strings.HasSuffix(item.Name, "validate-values") {
				found[resource.Resource+"/"+item.Name] = item.ResourceVersion
			}
		}
	}
	return found
}

// without removes the names that other contains, and those with one of the prefixes.
func without(names, other []string, prefixes ...string) []string {
	left := []string{}
	for _, name := range names {
		if !slices.Contains(other, name) && !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			left = append(left, name)
		}
	}
	return left
}

// withoutDefinitions removes the CRDs of Argo and of SealedSecrets, and what the API server creates for them.
func withoutDefinitions(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		if name == "apiservices/v1alpha1.bitnami.com" || name == "customresourcedefinitions/sealedsecrets.bitnami.com" {
			return true
		}
		return name == "apiservices/v1alpha1.argoproj.io" || strings.HasPrefix(name, "customresourcedefinitions/") && strings.HasSuffix(name, ".argoproj.io")
	})
}

// ofEveryNamespace returns the objects that a cluster creates in each namespace.
func ofEveryNamespace() []string {
	return []string{"configmaps/kube-root-ca.crt", "serviceaccounts/default"}
}

// containing keeps the names that contain a part.
func containing(names []string, part string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(name, part) })
}
