// Package published creates manifests with the names, labels, selectors and other fields of the published chart's contract, or of argo-helm's
// charts, so that a test can upgrade a release of them to a chart of this repository. Containers run a stand-in that only responds to probes.
package published

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/contract"
	"gitops-runtime/tests/contract/facts"
)

// Options name the release of the manifests.
type Options struct {
	Release, Namespace, Runtime, Account string
	Image                                string            // Image is the image of every container.
	Secrets                              map[string]string // Secrets are values of keys of Secrets, by NAME/KEY.
}

// Objects returns the objects of the base scenario and of its dependencies, in the order of kind and name. It omits hooks, and objects without
// immutable fields that no program reads; see leftOut.
func Objects(options Options) ([]*unstructured.Unstructured, error) {
	table, err := contract.Published()
	if err != nil {
		return nil, err
	}
	sources := map[facts.Object]source{}
	for _, scenario := range []string{contract.Subcharts, contract.Base} {
		for fact, value := range table.Rows(scenario) {
			if sources[fact.Object] == nil {
				sources[fact.Object] = source{}
			}
			key := place{fact.Container, fact.Aspect, options.named(fact.Key)}
			sources[fact.Object][key] = options.named(value)
		}
	}
	var made []*unstructured.Unstructured
	for _, name := range slices.SortedFunc(maps.Keys(sources), compare) {
		if leftOut(name, sources[name]) {
			continue
		}
		object, err := build(facts.Object{Kind: name.Kind, Name: options.named(name.Name)}, sources[name], options)
		if err != nil {
			return nil, err
		}
		made = append(made, object)
	}
	return made, nil
}

func compare(a, b facts.Object) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
}

// leftOut reports whether an object is omitted: a hook, which is not part of a release; a kind that comes from files; a kind that scales or protects
// pods; an object that only the scenario's permissions refer to.
func leftOut(name facts.Object, from source) bool {
	for at := range from {
		if at.aspect == "hook" {
			return true
		}
	}
	return !slices.Contains([]string{
		"ClusterRole", "ClusterRoleBinding", "ConfigMap", "Deployment", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount", "StatefulSet",
	}, name.Kind)
}

// named inserts the names of the release into a text of the contract.
func (o Options) named(text string) string {
	return strings.NewReplacer("RELEASE", o.Release, "NAMESPACE", o.Namespace, "RUNTIME", o.Runtime, "ACCOUNT", o.Account).Replace(text)
}

// place identifies a fact of an object.
type place struct{ container, aspect, key string }

// source is the contract of an object.
type source map[place]string

// of returns the facts of an aspect of the object itself, by key.
func (s source) of(aspect string) map[string]string { return s.ofContainer(facts.None, aspect) }

func (s source) ofContainer(container, aspect string) map[string]string {
	found := map[string]string{}
	for at, value := range s {
		if at.container == container && at.aspect == aspect {
			found[at.key] = value
		}
	}
	return found
}

// containers returns the names of the main containers, sorted.
func (s source) containers() []string {
	found := map[string]bool{}
	for at, value := range s {
		if at.container != facts.None && at.aspect == "image" && at.key == "main" && value != "" {
			found[at.container] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// build creates an object.
func build(name facts.Object, from source, options Options) (*unstructured.Unstructured, error) {
	object := map[string]any{
		"apiVersion": cmp.Or(from.of("object")["apiVersion"], apiVersions()[name.Kind]), "kind": name.Kind,
		"metadata": map[string]any{"name": name.Name, "labels": values(from.of("label")), "annotations": values(from.of("annotation"))},
	}
	if !strings.HasPrefix(name.Kind, "Cluster") {
		object["metadata"].(map[string]any)["namespace"] = options.Namespace //nolint:forcetypeassert // created above
	}
	var err error
	switch name.Kind {
	case "Deployment", "StatefulSet":
		object["spec"], err = workload(name, from, options)
	case "Service":
		object["spec"], err = service(from)
	case "Role", "ClusterRole":
		object["rules"], err = rules(from)
	case "RoleBinding", "ClusterRoleBinding":
		object["roleRef"], object["subjects"], err = binding(from)
	case "Secret":
		object["type"], object["stringData"] = cmp.Or(from.of("data")["(type)"], "Opaque"), secretData(name.Name, from, options)
	case "ConfigMap":
		object["data"] = data(from)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// apiVersions returns the API versions of kinds whose rows do not have them.
func apiVersions() map[string]string {
	return map[string]string{
		"ClusterRole": "rbac.authorization.k8s.io/v1", "ClusterRoleBinding": "rbac.authorization.k8s.io/v1", "Role": "rbac.authorization.k8s.io/v1",
		"RoleBinding": "rbac.authorization.k8s.io/v1", "Deployment": "apps/v1", "StatefulSet": "apps/v1",
		"ConfigMap": "v1", "Secret": "v1", "Service": "v1", "ServiceAccount": "v1",
	}
}

// values returns texts as fields of an object.
func values(of map[string]string) map[string]any {
	made := map[string]any{}
	for key, value := range of {
		made[key] = value
	}
	return made
}

// data returns the whole values of a ConfigMap; the rows of leaves of longer texts are omitted.
func data(from source) map[string]any {
	made := map[string]any{}
	for key, value := range from.of("data") {
		if !strings.ContainsAny(key, ": []()") && !strings.HasPrefix(value, "(") {
			made[key] = value
		}
	}
	return made
}

func secretData(name string, from source, options Options) map[string]any {
	made := map[string]any{}
	for key := range from.of("data") {
		if key != "(type)" {
			made[key] = options.Secrets[name+"/"+key]
		}
	}
	return made
}
