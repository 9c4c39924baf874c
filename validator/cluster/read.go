package cluster

import (
	"context"
	"net/url"
	"sort"
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
	Status   struct {
		// Allocatable contains quantities such as cpu "2" and memory "5000Mi".
		Allocatable map[string]string `json:"allocatable"`
	} `json:"status"`
}

// Workload is a Deployment, reduced to the fields that identify its owner.
type Workload struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Image string `json:"image"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

type list[T any] struct {
	Items []T `json:"items"`
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

func (c *Client) names(ctx context.Context, resource, path string) ([]string, error) {
	var found list[object]
	if err := c.ask(ctx, question{verb: "list", resource: resource, path: path, accept: metadataType}, &found); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(found.Items))
	for _, item := range found.Items {
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
	var nodes list[Node]
	err := c.ask(ctx, question{verb: "list", resource: "nodes", path: "/api/v1/nodes"}, &nodes)
	return nodes.Items, err
}

// CRDs lists the metadata of the CustomResourceDefinitions.
func (c *Client) CRDs(ctx context.Context) ([]Meta, error) {
	var found list[object]
	err := c.ask(ctx, question{
		verb: "list", resource: "customresourcedefinitions.apiextensions.k8s.io",
		path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", accept: metadataType,
	}, &found)
	metas := make([]Meta, 0, len(found.Items))
	for _, item := range found.Items {
		metas = append(metas, item.Metadata)
	}
	return metas, err
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
	var found list[Workload]
	err := c.ask(ctx, question{
		verb: "list", resource: "deployments.apps", path: "/apis/apps/v1/deployments",
		query: query,
	}, &found)
	return found.Items, err
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
