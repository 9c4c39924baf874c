package cluster

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
)

// Kinds knows the API paths of objects, which it learns from the API server, a version of a group at a time.
type Kinds struct {
	from interface {
		Get(ctx context.Context, path string, into any) error
	}
	mu    sync.Mutex
	known map[string]map[string]servedKind
}

type servedKind struct {
	Name, Kind string
	Namespaced bool
}

// NewKinds returns the kinds that an API server serves.
func NewKinds(from interface {
	Get(ctx context.Context, path string, into any) error
},
) *Kinds {
	return &Kinds{from: from, known: map[string]map[string]servedKind{}}
}

// Collection returns the API path of the objects of a kind, those of a namespace if the kind is namespaced and the namespace is not empty. It fails with
// an Error that is NotFound if the API server does not serve the kind.
func (k *Kinds) Collection(ctx context.Context, apiVersion, kind, namespace string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	root := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		root = "/api/" + apiVersion
	}
	if k.known[apiVersion] == nil {
		var found struct{ Resources []servedKind }
		if err := k.from.Get(ctx, root, &found); err != nil {
			return "", fmt.Errorf("the kinds of %s: %w", apiVersion, err)
		}
		k.known[apiVersion] = map[string]servedKind{}
		for _, one := range found.Resources {
			if !strings.Contains(one.Name, "/") {
				k.known[apiVersion][one.Kind] = one
			}
		}
	}
	served, known := k.known[apiVersion][kind]
	switch {
	case !known:
		return "", &Error{Verb: "get", Resource: kind + " of " + apiVersion, Status: 404}
	case served.Namespaced && namespace != "":
		return root + "/namespaces/" + url.PathEscape(namespace) + "/" + served.Name, nil
	}
	return root + "/" + served.Name, nil
}
