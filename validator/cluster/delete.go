package cluster

import (
	"context"
	"net/http"
	"net/url"
	"path"
)

// Delete deletes the object at an API path, with background deletion of its dependents. gone is true once the object does not exist: an object with
// finalizers remains until its controllers remove them, and the call can be repeated. It needs the permission to delete that object by its name.
func (c *Client) Delete(ctx context.Context, objectPath string) (gone bool, err error) {
	return c.delete(ctx, objectPath, nil)
}

// DeleteWithDependents is like Delete, but the object remains until the garbage collector has deleted its dependents, such as the pods of a
// Deployment: https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion
func (c *Client) DeleteWithDependents(ctx context.Context, objectPath string) (gone bool, err error) {
	return c.delete(ctx, objectPath, url.Values{"propagationPolicy": {"Foreground"}})
}

func (c *Client) delete(ctx context.Context, objectPath string, query url.Values) (gone bool, err error) {
	resource := path.Base(path.Dir(objectPath))
	err = c.ask(ctx, question{verb: "delete", resource: resource, path: objectPath, query: query, method: http.MethodDelete}, nil)
	if NotFound(err) {
		return true, nil
	}
	return false, err
}
