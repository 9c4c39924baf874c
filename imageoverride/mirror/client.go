package mirror

import "gitops-runtime/internal/registry"

// client sends requests about images to registries.
type client struct{ *registry.Client }

func open(access registry.Access) (client, error) {
	opened, err := access.Open()
	return client{opened}, err
}
