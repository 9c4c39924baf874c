package cluster

import (
	"context"
	"net/http"
	"path"
)

// Get decodes the object at an API path, see Object.Path.
func (c *Client) Get(ctx context.Context, objectPath string, into any) error {
	return c.ask(ctx, question{verb: "get", resource: named(objectPath), path: objectPath}, into)
}

// Create creates an object in the collection at an API path.
func (c *Client) Create(ctx context.Context, collection string, object any) error {
	return c.ask(ctx, question{verb: "create", resource: path.Base(collection), path: collection, body: object}, nil)
}

// Request creates an object in the subresource at an API path, such as a TokenRequest, and decodes the reply.
func (c *Client) Request(ctx context.Context, subresource string, object, reply any) error {
	owner := path.Base(path.Dir(path.Dir(subresource)))
	return c.ask(ctx, question{verb: "create", resource: owner + "/" + path.Base(subresource), path: subresource, body: object}, reply)
}

// Merge changes the object at an API path by a JSON merge patch.
func (c *Client) Merge(ctx context.Context, objectPath string, patch any) error {
	return c.ask(ctx, question{
		verb: "patch", resource: named(objectPath), path: objectPath,
		method: http.MethodPatch, contentType: "application/merge-patch+json", body: patch,
	}, nil)
}

// named returns the resource and the name at the end of an API path.
func named(objectPath string) string {
	return path.Base(path.Dir(objectPath)) + "/" + path.Base(objectPath)
}
