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
	kind, name, found := strings.Cut(text, "/")
	parts := strings.SplitN(kind, ".", 3)
	if !found || name == "" || len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return Object{}, fmt.Errorf("%q names no object; write resource.version[.group]/name, as in secrets.v1/codefresh-token", text)
	}
	object := Object{Resource: parts[0], Version: parts[1], Name: name}
	if len(parts) == 3 {
		object.Group = parts[2]
	}
	return object, nil
}

// String is the object as kubectl names it: resource[.group]/name.
func (o Object) String() string {
	if o.Group == "" {
		return o.Resource + "/" + o.Name
	}
	return o.Resource + "." + o.Group + "/" + o.Name
}

// Path is where the API server has the object.
func (o Object) Path(namespace string) string {
	root := "/api/" + o.Version
	if o.Group != "" {
		root = "/apis/" + o.Group + "/" + o.Version
	}
	if o.Resource == "clusterroles" || o.Resource == "clusterrolebindings" { // the chart's only ones outside namespaces
		return root + "/" + o.Resource + "/" + o.Name
	}
	return fmt.Sprintf("%s/namespaces/%s/%s/%s", root, namespace, o.Resource, o.Name)
}
