package preview

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gitops-runtime/validator/cluster"
)

// Cluster answers what manifests do not tell. All requests read.
type Cluster interface {
	// Get decodes the object or list at an API path.
	Get(ctx context.Context, path string, into any) error
	// Metadata lists the metadata of the objects at an API path with certain labels.
	Metadata(ctx context.Context, collection, selector string) ([]cluster.Meta, error)
	// MetadataOf returns the metadata of the object at an API path, without its content.
	MetadataOf(ctx context.Context, path string) (cluster.Meta, error)
}

// live asks the cluster, and remembers what it could not learn.
type live struct {
	cluster         Cluster
	namespace, name string
	kinds           map[string]map[string]kind // by API version, then by kind
	exist           map[string]string          // added objects that exist already, by name: to whom they belong, "" if to this release
	mu              sync.Mutex
	unknown         []string
	failed          bool
}

type kind struct {
	Name, Kind string
	Namespaced bool
}

func newLive(in Input) *live {
	l := &live{cluster: in.Cluster, namespace: in.Namespace, name: in.Name, kinds: map[string]map[string]kind{}, exist: map[string]string{}}
	if l.cluster == nil {
		l.unknown = []string{"Without a cluster it is not known whether objects that are added exist already and belong to somebody else, whether the cluster serves every kind, " +
			"whether live objects use fields that definitions lose, and what others in the namespace select."}
		if in.Kubernetes == "" {
			l.unknown = append(l.unknown, "API versions that Kubernetes removed are not checked: give --kube-version.")
		}
	}
	return l
}

// doubt records a request without an answer.
func (l *live) doubt(what string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = true
	reason := "the cluster does not answer"
	var answer *cluster.Error
	if errors.As(err, &answer) {
		reason = answer.Error()
		if cluster.Forbidden(err) {
			reason = "no permission to " + answer.Verb + " " + answer.Resource
		}
	}
	if sentence := fmt.Sprintf("%s is not known: %s.", what, reason); !slices.Contains(l.unknown, sentence) {
		l.unknown = append(l.unknown, sentence)
	}
}

// look asks which kinds the cluster serves, and which of the added objects exist already.
func (l *live) look(ctx context.Context, c *comparison) {
	if l.cluster != nil {
		l.served(ctx, c)
		l.existing(ctx, c)
	}
}

// check lists the objects that Helm refuses, and what others select.
func (l *live) check(ctx context.Context, c *comparison) []Item {
	if l.cluster == nil {
		return nil
	}
	items := l.unserved(c)
	items = append(items, l.owners(c)...)
	return append(items, l.neighbors(ctx, c)...)
}

func root(apiVersion string) string {
	if strings.Contains(apiVersion, "/") {
		return "/apis/" + apiVersion
	}
	return "/api/" + apiVersion
}

// served asks which kinds the cluster serves.
func (l *live) served(ctx context.Context, c *comparison) {
	versions := map[string]bool{}
	for _, each := range c.after.objects {
		versions[each.tree.text("apiVersion")] = true
	}
	l.each(slices.Sorted(maps.Keys(versions)), func(version string) {
		var found struct{ Resources []kind }
		err := l.cluster.Get(ctx, root(version), &found)
		if err != nil && !cluster.NotFound(err) {
			l.doubt("Whether the cluster serves "+version, err)
			return
		}
		known := map[string]kind{}
		for _, one := range found.Resources {
			if !strings.Contains(one.Name, "/") {
				known[one.Kind] = one
			}
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.kinds[version] = known
	})
}

// unserved lists the objects of kinds that the cluster does not know.
func (l *live) unserved(c *comparison) []Item {
	var items []Item
	for _, each := range c.after.objects {
		known, asked := l.kinds[each.tree.text("apiVersion")]
		if _, serves := known[each.kind]; !asked || serves || c.before.named[each.name] != nil && !c.Before.Revision {
			continue
		}
		items = append(items, broken("refused", each.component(), each.name, "The cluster does not serve %s of %s, and Helm refuses the upgrade: install its definition first, or leave the object out", each.kind, each.tree.text("apiVersion")))
	}
	return items
}

// path returns the API path of an object, "" if its kind is not known.
func (l *live) path(of *object) string {
	known, ok := l.kinds[of.tree.text("apiVersion")][of.kind]
	if !ok {
		return ""
	}
	at := root(of.tree.text("apiVersion"))
	if known.Namespaced {
		at += "/namespaces/" + of.namespace
	}
	return at + "/" + known.Name + "/" + of.bare
}

// existing asks which of the added objects exist already.
func (l *live) existing(ctx context.Context, c *comparison) {
	var added []string
	for _, each := range c.after.objects {
		if c.before.named[each.name] == nil && l.path(each) != "" {
			added = append(added, each.name)
		}
	}
	l.each(added, func(name string) {
		meta, err := l.cluster.MetadataOf(ctx, l.path(c.after.named[name]))
		if err != nil {
			if !cluster.NotFound(err) {
				l.doubt("Whether "+name+" exists already", err)
			}
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.exist[name] = l.stranger(meta)
	})
}

// owners lists the added objects that exist already, and that Helm refuses to take over.
func (l *live) owners(c *comparison) []Item {
	var items []Item
	for _, name := range slices.Sorted(maps.Keys(l.exist)) {
		if l.exist[name] != "" {
			items = append(items, broken("refused", c.after.named[name].component(), name, "It exists already and %s: Helm refuses the upgrade. Delete it, or give it the label app.kubernetes.io/managed-by=Helm and the annotations meta.helm.sh/release-name=%s and meta.helm.sh/release-namespace=%s", l.exist[name], l.name, l.namespace))
		}
	}
	return items
}

// stranger says to whom an object belongs that is not of this release, as Helm judges, https://github.com/helm/helm/blob/v3.22.0/pkg/action/validate.go; "" if
// it is of this release.
func (l *live) stranger(meta cluster.Meta) string {
	name, namespace := meta.Annotations["meta.helm.sh/release-name"], meta.Annotations["meta.helm.sh/release-namespace"]
	switch {
	case meta.Labels["app.kubernetes.io/managed-by"] != "Helm" || name == "" || namespace == "":
		return "is not of a Helm release"
	case name != l.name || namespace != l.namespace:
		return "is of the release " + name + " in the namespace " + namespace
	}
	return ""
}

// neighbors lists Services, budgets and policies of others in the namespace that select pods now and none after the upgrade.
func (l *live) neighbors(ctx context.Context, c *comparison) []Item {
	var items []Item
	for _, one := range []struct{ kind, version, resource string }{
		{"Service", "v1", "services"}, {"PodDisruptionBudget", "policy/v1", "poddisruptionbudgets"}, {"NetworkPolicy", "networking.k8s.io/v1", "networkpolicies"},
	} {
		var found struct{ Items []map[string]any }
		if err := l.cluster.Get(ctx, root(one.version)+"/namespaces/"+l.namespace+"/"+one.resource, &found); err != nil {
			l.doubt("What the "+one.resource+" of others select", err)
			continue
		}
		for _, content := range found.Items {
			each := &object{tree: content, kind: one.kind, bare: tree(content).sub("metadata").text("name"), namespace: l.namespace}
			each.name = one.kind + "/" + each.bare
			if c.before.named[each.name] != nil || c.after.named[each.name] != nil {
				continue
			}
			before, after := c.before.selected(each), c.after.selected(each)
			if len(before) > 0 && len(after) == 0 {
				items = append(items, broken("unselected", "objects of others", each.name, "It is not of this release, and selected %s; it selects nothing of the release then", list(before)))
			}
		}
	}
	return items
}

// each calls a function for each name, a few at a time.
func (l *live) each(names []string, do func(name string)) {
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, name := range names {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			do(name)
		})
	}
	all.Wait()
}
