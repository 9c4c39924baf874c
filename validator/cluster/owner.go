package cluster

import (
	"context"
	"net/http"
	"path"
)

// Identity is the reference to an object in the ownerReferences of others.
type Identity struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
}

// Identify returns the identity of the object at an API path. It needs the permission to get that object by its name.
func (c *Client) Identify(ctx context.Context, objectPath string) (Identity, error) {
	var answer struct {
		Identity
		Metadata struct {
			Name string `json:"name"`
			UID  string `json:"uid"`
		} `json:"metadata"`
	}
	err := c.ask(ctx, question{verb: "get", resource: path.Base(path.Dir(objectPath)) + "/" + path.Base(objectPath), path: objectPath}, &answer)
	return Identity{APIVersion: answer.APIVersion, Kind: answer.Kind, Name: answer.Metadata.Name, UID: answer.Metadata.UID}, err
}

// Own sets an owner of the object at an API path, so that it is deleted with the owner. It needs the permission to patch that object by its name and, if
// the server restricts owner references, as OpenShift does, to delete it, too.
func (c *Client) Own(ctx context.Context, objectPath string, owner Identity) error {
	return c.ask(ctx, question{
		verb: "patch", resource: path.Base(path.Dir(objectPath)) + "/" + path.Base(objectPath), path: objectPath,
		method: http.MethodPatch, contentType: "application/merge-patch+json", accept: oneMetadataType,
		body: map[string]any{"metadata": map[string]any{"ownerReferences": []Identity{owner}}},
	}, nil)
}
