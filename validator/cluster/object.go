package cluster

import (
	"fmt"
	"strings"
)

// Object names an object of the release's namespace, or one outside any.
type Object struct {
	// Group is empty for Kubernetes' core.
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

// String is the object as kubectl names it: resource[.group]/name.
func (o Object) String() string { return qualified(o.Resource, o.Group) + "/" + o.Name }

// Path is where the API server has the object.
func (o Object) Path(namespace string) string {
	root := apiRoot(o.Group, o.Version)
	if o.Resource == "clusterroles" || o.Resource == "clusterrolebindings" { // the chart's only ones outside namespaces
		return root + "/" + o.Resource + "/" + o.Name
	}
	return fmt.Sprintf("%s/namespaces/%s/%s/%s", root, namespace, o.Resource, o.Name)
}

// parseKind reads "resource.version[.group]".
func parseKind(text string) (resource, version, group string, ok bool) {
	parts := append(strings.SplitN(text, ".", 3), "", "")
	return parts[0], parts[1], parts[2], parts[0] != "" && parts[1] != ""
}

// qualified is a resource as kubectl names it.
func qualified(resource, group string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

// apiRoot is where the API server has the resources of a group.
func apiRoot(group, version string) string {
	if group == "" {
		return "/api/" + version
	}
	return "/apis/" + group + "/" + version
}
