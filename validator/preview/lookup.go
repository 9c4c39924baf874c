package preview

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"gitops-runtime/validator/cluster"
)

// Served returns the API versions that the cluster serves, and their kinds unless they are Kubernetes' own, as templates see them: group/version, and
// group/version/Kind.
func Served(ctx context.Context, from Cluster) ([]string, error) {
	var found struct {
		Groups []struct {
			Name     string
			Versions []struct{ GroupVersion string }
		}
	}
	if err := from.Get(ctx, "/apis", &found); err != nil {
		return nil, err
	}
	var all, others []string
	for _, group := range found.Groups {
		for _, version := range group.Versions {
			all = append(all, version.GroupVersion)
			if strings.Contains(group.Name, ".") && (!strings.HasSuffix(group.Name, ".k8s.io") || strings.HasPrefix(group.Name, "gateway.")) {
				others = append(others, version.GroupVersion)
			}
		}
	}
	var mu sync.Mutex
	(&live{}).each(others, func(version string) {
		var list struct{ Resources []kind }
		if err := from.Get(ctx, root(version), &list); err != nil {
			return // an API server of its own that does not run
		}
		mu.Lock()
		defer mu.Unlock()
		for _, one := range list.Resources {
			all = append(all, version+"/"+one.Kind)
		}
	})
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Lookup answers the function lookup of templates with what the cluster has. Secrets are read by their names only, and their content is hidden.
type Lookup struct {
	ctx       context.Context // GetClientFor gets none
	cluster   Cluster
	namespace string
	hidden    *Hidden
	kinds     map[string][]kind
	unknown   []string
	mu        sync.Mutex
}

// NewLookup returns what answers lookup in a run.
func NewLookup(ctx context.Context, from Cluster, namespace string, hidden *Hidden) *Lookup {
	return &Lookup{ctx: ctx, cluster: from, namespace: namespace, hidden: hidden, kinds: map[string][]kind{}}
}

// GetClientFor returns what reads the objects of a kind. A kind that the cluster does not serve has no objects.
func (l *Lookup) GetClientFor(apiVersion, of string) (dynamic.NamespaceableResourceInterface, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.kinds[apiVersion]; !known {
		var list struct{ Resources []kind }
		if err := l.cluster.Get(l.ctx, root(apiVersion), &list); err != nil && !cluster.NotFound(err) {
			l.doubt(apiVersion, err)
		}
		l.kinds[apiVersion] = list.Resources
	}
	for _, one := range l.kinds[apiVersion] {
		if one.Kind == of && !strings.Contains(one.Name, "/") {
			return &resourceReader{lookup: l, collection: root(apiVersion), kind: one}, one.Namespaced, nil
		}
	}
	return &resourceReader{lookup: l}, false, nil
}

// doubt records a lookup without an answer.
func (l *Lookup) doubt(what string, err error) {
	sentence := fmt.Sprintf("The chart looks up %s on the cluster, which gave no answer; it is rendered as if there was none: %v.", what, err)
	if !slices.Contains(l.unknown, sentence) {
		l.unknown = append(l.unknown, sentence)
	}
}

// resourceReader reads objects of one kind; the other methods of the interface are not there, because lookup only reads.
type resourceReader struct {
	dynamic.NamespaceableResourceInterface
	lookup     *Lookup
	collection string // the API path
	kind       kind
}

// Namespace returns the reader of a namespace.
func (r *resourceReader) Namespace(namespace string) dynamic.ResourceInterface {
	inside := *r
	inside.collection += "/namespaces/" + namespace
	return &inside
}

// Get reads an object.
func (r *resourceReader) Get(ctx context.Context, name string, _ metav1.GetOptions, _ ...string) (*unstructured.Unstructured, error) {
	content := map[string]any{}
	if err := r.read(ctx, "/"+name, &content); err != nil {
		return nil, err
	}
	if r.kind.Kind == "Secret" {
		r.lookup.hidden.secret(content)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// List reads the objects of a namespace or of the cluster; none if they are Secrets.
func (r *resourceReader) List(ctx context.Context, _ metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	var content struct{ Items []map[string]any }
	list := &unstructured.UnstructuredList{Object: map[string]any{}}
	if r.kind.Kind == "Secret" {
		r.lookup.doubt("all Secrets of a namespace", &cluster.Error{Verb: "list", Resource: "secrets", Err: fmt.Errorf("this program reads Secrets by name only")})
		return list, nil
	}
	if err := r.read(ctx, "", &content); err != nil {
		return list, nil //nolint:nilerr // read recorded it
	}
	for _, item := range content.Items {
		list.Items = append(list.Items, unstructured.Unstructured{Object: item})
	}
	return list, nil
}

func (r *resourceReader) read(ctx context.Context, name string, into any) error {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: r.kind.Name}, name)
	if r.kind.Name == "" {
		return gone
	}
	err := r.lookup.cluster.Get(ctx, r.collection+"/"+r.kind.Name+name, into)
	if err != nil && !cluster.NotFound(err) {
		r.lookup.mu.Lock()
		defer r.lookup.mu.Unlock()
		r.lookup.doubt(r.kind.Name+name, err)
	}
	if err != nil {
		return gone
	}
	return nil
}
