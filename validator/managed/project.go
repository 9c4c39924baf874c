package managed

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"gitops-runtime/validator/cluster"
)

// Project is an AppProject, reduced to where it may deploy which kinds:
// https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#projects
type Project struct {
	Metadata cluster.Meta `json:"metadata"`
	Spec     struct {
		Destinations []struct{ Server, Name, Namespace string } `json:"destinations"`
		Namespaced   []groupKind                                `json:"namespaceResourceWhitelist"`
		Wide         []groupKind                                `json:"clusterResourceWhitelist"`
	} `json:"spec"`
}

type groupKind struct{ Group, Kind string }

// deploysTo reports whether the project may deploy to a namespace of a cluster.
func (p Project) deploysTo(c Cluster, namespace string) bool {
	return slices.ContainsFunc(p.Spec.Destinations, func(to struct{ Server, Name, Namespace string }) bool {
		here := strings.TrimRight(to.Server, "/") == c.Server || to.Name == c.Name || to.Server == "*" || to.Name == "*"
		matches, err := path.Match(to.Namespace, namespace)
		return here && err == nil && matches
	})
}

// Rights are what the account of a cluster may not do.
type Rights struct {
	// Missing are sentences about kinds that a project names and may deploy.
	Missing []string
	// Unlisted are the namespaces in which it may not list every kind.
	Unlisted []string
}

// Rights compares the permissions of the account with what the projects name. Kinds that are given as "*", or that the cluster does not serve, are left out.
func (c Cluster) Rights(ctx context.Context, projects []Project) (Rights, error) {
	if c.Config.BearerToken == "" && len(c.Config.TLS.CertData) == 0 {
		return Rights{}, errNoToken
	}
	client, err := c.Connect(c.Config.BearerToken)
	if err != nil {
		return Rights{}, err
	}
	served := resources{client: client, kinds: cluster.NewKinds(client)}
	var found Rights
	namespaces := c.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{"default"} // what it may do everywhere is granted there, too
	}
	for _, namespace := range namespaces {
		rules, err := client.Rules(ctx, namespace)
		if err != nil {
			return found, err
		}
		if rules.Incomplete {
			continue
		}
		if !rules.Allow("list", "*", "*") {
			found.Unlisted = append(found.Unlisted, namespace)
		}
		for _, project := range projects {
			if !project.deploysTo(c, namespace) {
				continue
			}
			lacking, err := served.lacking(ctx, rules, c.named(project, namespace == namespaces[0]))
			if err != nil {
				return found, err
			}
			if len(lacking) > 0 {
				found.Missing = append(found.Missing, fmt.Sprintf("permission to create, patch and delete %s in namespace %s, which the AppProject %s may deploy",
					strings.Join(lacking, ", "), namespace, project.Metadata.Name))
			}
		}
	}
	return found, nil
}

// named returns the kinds that a project names, cluster-scoped ones if they are asked for.
func (c Cluster) named(project Project, wide bool) []groupKind {
	kinds := slices.Clone(project.Spec.Namespaced)
	if wide && c.Wide {
		kinds = append(kinds, project.Spec.Wide...)
	}
	return slices.DeleteFunc(kinds, func(of groupKind) bool { return strings.ContainsAny(of.Group+of.Kind, "*?[") })
}

// resources finds the resources of kinds that a cluster serves.
type resources struct {
	client *cluster.Client
	kinds  *cluster.Kinds
}

// lacking returns the resources of kinds that rules do not permit to deploy.
func (r resources) lacking(ctx context.Context, rules cluster.Rules, kinds []groupKind) ([]string, error) {
	var list []string
	for _, of := range kinds {
		name, err := r.of(ctx, of)
		if cluster.NotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, verb := range []string{"create", "patch", "delete"} {
			if !rules.Allow(verb, of.Group, name) {
				list = append(list, strings.TrimSuffix(name+"."+of.Group, "."))
				break
			}
		}
	}
	return list, nil
}

// of returns the resource of a kind, in the preferred version of its group.
func (r resources) of(ctx context.Context, kind groupKind) (string, error) {
	version := "v1"
	if kind.Group != "" {
		var group struct {
			Preferred struct {
				Version string `json:"groupVersion"`
			} `json:"preferredVersion"`
		}
		if err := r.client.Get(ctx, "/apis/"+kind.Group, &group); err != nil {
			return "", err
		}
		version = group.Preferred.Version
	}
	collection, err := r.kinds.Collection(ctx, version, kind.Kind, "")
	return path.Base(collection), err
}
