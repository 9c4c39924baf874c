package cluster

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"path"
	"sort"
	"strings"
)

// Meta is the part of an object's metadata that the checks read.
type Meta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Node is a node with its allocatable resources.
type Node struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		Unschedulable bool `json:"unschedulable"`
	} `json:"spec"`
	Status struct {
		// Allocatable contains quantities such as cpu "2" and memory "5000Mi".
		Allocatable map[string]string `json:"allocatable"`
	} `json:"status"`
}

// Workload is a Deployment, reduced to its owner, its number of pods and what they run and request.
type Workload struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		// Replicas is the number of pods; nil for 1.
		Replicas *int `json:"replicas"`
		Template struct {
			Spec PodSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// Pod is a pod, reduced to its node and what it requests.
type Pod struct {
	Spec   PodSpec `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// PodSpec is the spec of a pod, reduced to its node and containers.
type PodSpec struct {
	NodeName       string      `json:"nodeName"`
	Containers     []Container `json:"containers"`
	InitContainers []Container `json:"initContainers"`
}

// Container is a container, reduced to what it runs and requests.
type Container struct {
	Image     string     `json:"image"`
	Command   []string   `json:"command"`
	Args      []string   `json:"args"`
	Env       []Variable `json:"env"`
	Resources struct {
		// Requests contains quantities such as cpu "10m" and memory "64Mi".
		Requests map[string]string `json:"requests"`
	} `json:"resources"`
}

// Variable is a variable of a container; the value is empty if it refers to a ConfigMap or a Secret.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type list[T any] struct {
	Metadata struct {
		Continue string `json:"continue"`
	} `json:"metadata"`
	Items []T `json:"items"`
}

// Objects are read in pages, whose replies are within maxReply; a server that ignores the limit sends all of them at once.
const (
	pageSize = "100"
	maxPages = 200
)

// listOf reads all pages of a list.
func listOf[T any](ctx context.Context, c *Client, q question) ([]T, error) {
	query := url.Values{"limit": {pageSize}}
	maps.Copy(query, q.query)
	q.query = query
	var all []T
	for range maxPages {
		var page list[T]
		if err := c.ask(ctx, q, &page); err != nil {
			return all, err
		}
		all = append(all, page.Items...)
		if page.Metadata.Continue == "" {
			return all, nil
		}
		q.query.Set("continue", page.Metadata.Continue)
	}
	return nil, &Error{Verb: q.verb, Resource: q.resource, Err: fmt.Errorf("the list has more than %d pages", maxPages)}
}

type object struct {
	Metadata Meta `json:"metadata"`
}

// Secret reads the entries of a Secret. It needs the permission to get secrets by that name.
func (c *Client) Secret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	var secret struct {
		Data map[string][]byte `json:"data"`
	}
	err := c.ask(ctx, question{
		verb: "get", resource: "secrets/" + name,
		path: "/api/v1/namespaces/" + url.PathEscape(namespace) + "/secrets/" + url.PathEscape(name),
	}, &secret)
	return secret.Data, err
}

// IngressClasses lists the names of the IngressClasses.
func (c *Client) IngressClasses(ctx context.Context) ([]string, error) {
	return c.names(ctx, "ingressclasses.networking.k8s.io", "/apis/networking.k8s.io/v1/ingressclasses")
}

// Metadata lists the metadata of the objects of the collection at an API path that match a label selector; an empty one matches all.
func (c *Client) Metadata(ctx context.Context, collection, selector string) ([]Meta, error) {
	query := url.Values{}
	if selector != "" {
		query.Set("labelSelector", selector)
	}
	found, err := listOf[object](ctx, c, question{verb: "list", resource: resourceOf(collection), path: collection, query: query, accept: metadataType})
	metas := make([]Meta, len(found))
	for i, item := range found {
		metas[i] = item.Metadata
	}
	return metas, err
}

// resourceOf returns the resource of a collection at an API path, with its group, as in deployments.apps.
func resourceOf(collection string) string {
	group := ""
	if rest, ok := strings.CutPrefix(collection, "/apis/"); ok {
		group, _, _ = strings.Cut(rest, "/")
	}
	return qualified(path.Base(collection), group)
}

// MetadataOf returns the metadata of the object at an API path; the server does not send its content.
func (c *Client) MetadataOf(ctx context.Context, objectPath string) (Meta, error) {
	var found object
	err := c.ask(ctx, question{verb: "get", resource: named(objectPath), path: objectPath, accept: oneMetadataType}, &found)
	return found.Metadata, err
}

func (c *Client) names(ctx context.Context, resource, path string) ([]string, error) {
	found, err := listOf[object](ctx, c, question{verb: "list", resource: resource, path: path, accept: metadataType})
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(found))
	for _, item := range found {
		names = append(names, item.Metadata.Name)
	}
	sort.Strings(names)
	return names, nil
}

// KnowsGateways reports whether the cluster serves the Gateway API.
func (c *Client) KnowsGateways(ctx context.Context) (bool, error) {
	var groups struct {
		Groups []struct {
			Name string `json:"name"`
		} `json:"groups"`
	}
	if err := c.ask(ctx, question{verb: "get", resource: "API groups", path: "/apis"}, &groups); err != nil {
		return false, err
	}
	for _, group := range groups.Groups {
		if group.Name == "gateway.networking.k8s.io" {
			return true, nil
		}
	}
	return false, nil
}

// Gateway returns nil if a Gateway exists, and an Error with NotFound if it does not.
func (c *Client) Gateway(ctx context.Context, namespace, name string) error {
	return c.ask(ctx, question{
		verb: "get", resource: "gateways.gateway.networking.k8s.io/" + name,
		path: "/apis/gateway.networking.k8s.io/v1/namespaces/" + url.PathEscape(namespace) + "/gateways/" + url.PathEscape(name),
	}, nil)
}

// Service returns nil if a Service exists, and an Error with NotFound if it does not.
func (c *Client) Service(ctx context.Context, namespace, name string) error {
	return c.ask(ctx, question{
		verb: "get", resource: "services/" + name,
		path: "/api/v1/namespaces/" + url.PathEscape(namespace) + "/services/" + url.PathEscape(name),
	}, nil)
}

// Version returns the server's version in its own format ("v1.33.1-eks-abc").
func (c *Client) Version(ctx context.Context) (string, error) {
	var version struct {
		GitVersion string `json:"gitVersion"`
	}
	err := c.ask(ctx, question{verb: "get", resource: "the server version", path: "/version"}, &version)
	return version.GitVersion, err
}

// Nodes lists the nodes.
func (c *Client) Nodes(ctx context.Context) ([]Node, error) {
	return listOf[Node](ctx, c, question{verb: "list", resource: "nodes", path: "/api/v1/nodes"})
}

// Pods lists the pods of all namespaces.
func (c *Client) Pods(ctx context.Context) ([]Pod, error) {
	return listOf[Pod](ctx, c, question{verb: "list", resource: "pods", path: "/api/v1/pods"})
}

// CRDs lists the metadata of the CustomResourceDefinitions.
func (c *Client) CRDs(ctx context.Context) ([]Meta, error) {
	return c.Metadata(ctx, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "")
}

// Deployments lists the Deployments of all namespaces that match a label selector and a name; an empty argument matches all.
func (c *Client) Deployments(ctx context.Context, labels, name string) ([]Workload, error) {
	query := url.Values{}
	if labels != "" {
		query.Set("labelSelector", labels)
	}
	if name != "" {
		query.Set("fieldSelector", "metadata.name="+name)
	}
	return listOf[Workload](ctx, c, question{verb: "list", resource: "deployments.apps", path: "/apis/apps/v1/deployments", query: query})
}

// DeploymentsIn lists the Deployments of a namespace.
func (c *Client) DeploymentsIn(ctx context.Context, namespace string) ([]Workload, error) {
	return listOf[Workload](ctx, c, question{
		verb: "list", resource: "deployments.apps in namespace " + namespace,
		path: "/apis/apps/v1/namespaces/" + url.PathEscape(namespace) + "/deployments",
	})
}

// Allowed reports whether the current user has a permission.
func (c *Client) Allowed(ctx context.Context, verb, group, resource, namespace string) (bool, error) {
	var review struct {
		Status struct {
			Allowed bool `json:"allowed"`
		} `json:"status"`
	}
	err := c.ask(ctx, question{
		verb: "create", resource: "selfsubjectaccessreviews.authorization.k8s.io",
		path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		body: map[string]any{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
			"spec": map[string]any{"resourceAttributes": map[string]any{
				"verb": verb, "group": group, "resource": resource, "namespace": namespace,
			}},
		},
	}, &review)
	return review.Status.Allowed, err
}
