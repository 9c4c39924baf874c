package cluster

import (
	"fmt"
	"strings"
)

// Object identifies an object in the release's namespace, or a cluster-scoped one.
type Object struct {
	// Group is empty for the core API group.
	Group, Version, Resource, Name string
}

// ParseObject reads "resource.version[.group]/name", as in secrets.v1/codefresh-token and
// sensors.v1alpha1.argoproj.io/events-reporter.
func ParseObject(text string) (Object, error) {
	kind, name, _ := strings.Cut(text, "/")
	resource, version, group, ok := parseKind(kind)
	if !ok || name == "" {
		return Object{}, fmt.Errorf("%q names no object; write resource.version[.group]/name, as in secrets.v1/codefresh-token", text)
	}
	return Object{Group: group, Version: version, Resource: resource, Name: name}, nil
}

// String returns the object as an argument of kubectl: resource[.group]/name.
func (o Object) String() string { return qualified(o.Resource, o.Group) + "/" + o.Name }

// Path returns the API path of the object.
func (o Object) Path(namespace string) string {
	root := apiRoot(o.Group, o.Version)
	if o.Resource == "clusterroles" || o.Resource == "clusterrolebindings" { // all other objects that the chart names are namespaced
		return root + "/" + o.Resource + "/" + o.Name
	}
	return fmt.Sprintf("%s/namespaces/%s/%s/%s", root, namespace, o.Resource, o.Name)
}

// parseKind reads "resource.version[.group]".
func parseKind(text string) (resource, version, group string, ok bool) {
	parts := append(strings.SplitN(text, ".", 3), "", "")
	return parts[0], parts[1], parts[2], parts[0] != "" && parts[1] != ""
}

// qualified returns a resource as an argument of kubectl: resource[.group].
func qualified(resource, group string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

// apiRoot returns the API path of a version of a group.
func apiRoot(group, version string) string {
	if group == "" {
		return "/api/" + version
	}
	return "/apis/" + group + "/" + version
}
