package hook

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gitops-runtime/validator/cluster"
)

// Owners is the API requests that make an object the owner of others.
type Owners interface {
	Identify(ctx context.Context, path string) (cluster.Identity, error)
	Own(ctx context.Context, path string, owner cluster.Identity) error
	Delete(ctx context.Context, path string) (gone bool, err error)
}

// Resources are the objects that were created for the Job: its values, its service account and its permissions. Helm 3.19 and later removes them if the
// Job fails; before that it leaves them, and the Job has to remove them.
//
// The Job cannot delete them one by one, because it loses its permissions with the first of them. Therefore the first object becomes the owner of all
// others and is deleted, and the cluster's garbage collector deletes the others.
type Resources []cluster.Object

// Remove deletes the resources. Resources that do not exist are not an error.
func (b Resources) Remove(ctx context.Context, namespace string, from Owners) error {
	if len(b) == 0 {
		return nil
	}
	first := b[0].Path(namespace)
	owner, err := from.Identify(ctx, first)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the hook's objects stay: %w", err)
	}
	failed := make([]error, len(b))
	var side sync.WaitGroup
	for i, object := range b[1:] {
		side.Go(func() {
			if err := from.Own(ctx, object.Path(namespace), owner); err != nil && !gone(err) {
				failed[i] = fmt.Errorf("%s stays: %w", object, err)
			}
		})
	}
	side.Wait()
	if _, err := from.Delete(ctx, first); err != nil {
		failed[len(b)-1] = fmt.Errorf("%s stays: %w", b[0], err)
	}
	return errors.Join(failed...)
}

// gone is true for the answer that an object does not exist.
func gone(err error) bool {
	var answer *cluster.Error
	return errors.As(err, &answer) && answer.NotFound()
}
