package cluster

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Labeled are the objects of a kind in a namespace that have certain labels.
type Labeled struct {
	Group, Version, Resource string
	// Selector is equality-based: key=value, several separated by commas.
	Selector string
}

// ParseLabeled reads "resource.version[.group]?key=value[,key=value]", as in
// secrets.v1?io.codefresh.integration-type=git.
func ParseLabeled(text string) (Labeled, error) {
	kind, selector, _ := strings.Cut(text, "?")
	resource, version, group, ok := parseKind(kind)
	if !ok || !strings.Contains(selector, "=") {
		return Labeled{}, fmt.Errorf("%q names no objects; write resource.version[.group]?key=value, as in secrets.v1?io.codefresh.integration-type=git", text)
	}
	return Labeled{Group: group, Version: version, Resource: resource, Selector: selector}, nil
}

// String returns the arguments with which kubectl selects the objects: resource[.group] -l selector.
func (l Labeled) String() string { return qualified(l.Resource, l.Group) + " -l " + l.Selector }

// path returns the API path of all objects of the kind in a namespace.
func (l Labeled) path(namespace string) string {
	return fmt.Sprintf("%s/namespaces/%s/%s", apiRoot(l.Group, l.Version), url.PathEscape(namespace), l.Resource)
}

// DeleteLabeled deletes the objects with one request, which does not read them. It needs the permission deletecollection. A kind that the cluster does
// not know has no objects.
func (c *Client) DeleteLabeled(ctx context.Context, namespace string, objects Labeled) error {
	return unlessNotFound(c.ask(ctx, question{
		verb: "deletecollection", resource: objects.Resource, path: objects.path(namespace), method: http.MethodDelete,
		query: url.Values{"labelSelector": {objects.Selector}}, accept: metadataType,
	}, nil))
}

// ReleaseLabeled removes the finalizers of the objects, so that they can be deleted without their controller. It needs the permissions list and patch,
// and returns the names of the objects that had finalizers. A kind that the cluster does not know has no objects.
func (c *Client) ReleaseLabeled(ctx context.Context, namespace string, objects Labeled) ([]string, error) {
	var found list[struct {
		Metadata struct {
			Name       string   `json:"name"`
			Finalizers []string `json:"finalizers"`
		} `json:"metadata"`
	}]
	err := unlessNotFound(c.ask(ctx, question{
		verb: "list", resource: objects.Resource, path: objects.path(namespace), accept: metadataType,
		query: url.Values{"labelSelector": {objects.Selector}},
	}, &found))
	var released []string
	for _, item := range found.Items {
		if err != nil {
			break
		}
		if len(item.Metadata.Finalizers) == 0 {
			continue
		}
		err = unlessNotFound(c.ask(ctx, question{
			verb: "patch", resource: objects.Resource + "/" + item.Metadata.Name, path: objects.path(namespace) + "/" + url.PathEscape(item.Metadata.Name),
			method: http.MethodPatch, contentType: "application/merge-patch+json", accept: oneMetadataType,
			body: map[string]any{"metadata": map[string]any{"finalizers": nil}},
		}, nil))
		released = append(released, item.Metadata.Name)
	}
	return released, err
}

func unlessNotFound(err error) error {
	if NotFound(err) {
		return nil
	}
	return err
}
