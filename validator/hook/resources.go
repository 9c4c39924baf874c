package hook

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gitops-runtime/validator/cluster"
)

// Owners contains the API requests that make an object the owner of others.
type Owners interface {
	Identify(ctx context.Context, path string) (cluster.Identity, error)
	Own(ctx context.Context, path string, owner cluster.Identity) error
	Delete(ctx context.Context, path string) (gone bool, err error)
}

// Resources are the objects that were created for the Job: its values, its service account and its permissions. Helm 3.19 and later deletes them if
// the Job fails; earlier versions do not, so the Job has to delete them.
//
// The Job cannot delete them one by one, because it loses its permissions with the first of them. Therefore the first object becomes the owner of all
// others and is deleted, and the cluster's garbage collector deletes the others.
type Resources []cluster.Object

// Remove deletes the resources. Resources that do not exist are not an error.
func (r Resources) Remove(ctx context.Context, namespace string, from Owners) error {
	if len(r) == 0 {
		return nil
	}
	first := r[0].Path(namespace)
	owner, err := from.Identify(ctx, first)
	if cluster.NotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the hook's objects stay: %w", err)
	}
	failed := make([]error, len(r))
	var requests sync.WaitGroup
	for i, object := range r[1:] {
		requests.Go(func() {
			if err := from.Own(ctx, object.Path(namespace), owner); err != nil && !cluster.NotFound(err) {
				failed[i] = fmt.Errorf("%s stays: %w", object, err)
			}
		})
	}
	requests.Wait()
	if _, err := from.Delete(ctx, first); err != nil {
		failed[len(r)-1] = fmt.Errorf("%s stays: %w", r[0], err)
	}
	return errors.Join(failed...)
}
