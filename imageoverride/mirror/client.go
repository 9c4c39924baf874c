package mirror

import "gitops-runtime/internal/registry"

// client asks registries about images.
type client struct{ *registry.Client }

func open(access registry.Access) (client, error) {
	opened, err := access.Open()
	return client{opened}, err
}
