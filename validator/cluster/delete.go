package cluster

import (
	"context"
	"errors"
	"net/http"
	"path"
)

// Delete asks for the deletion of the object at an API path, in the background for what belongs to it. It is gone once
// the server does not know it: an object with finalizers stays until its controllers let go, and may be asked for again.
// It needs the right to delete that object by its name.
func (c *Client) Delete(ctx context.Context, objectPath string) (gone bool, err error) {
	resource := path.Base(path.Dir(objectPath))
	err = c.ask(ctx, question{verb: "delete", resource: resource, path: objectPath, method: http.MethodDelete}, nil)
	var answer *Error
	if errors.As(err, &answer) && answer.NotFound() {
		return true, nil
	}
	return false, err
}
