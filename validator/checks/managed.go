package checks

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/process"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/managed"
)

// respectPath is the setting of Argo CD by which its cache leaves out what it may not list.
const respectPath = `argo-cd.configs.cm.resource\.respectRBAC`

// checkManaged uses each cluster Secret as Argo CD does, if the Secrets of the namespace can be listed.
func checkManaged(ctx context.Context, d *state) engine.Outcome {
	switch {
	case d.InHook:
		return nothing("the hook has no permission to list Secrets")
	case d.Cluster == nil:
		return lacks(needsCluster)
	}
	secrets, err := listed[managedSecret](ctx, d, "/api/v1/namespaces/"+d.Namespace+"/secrets", url.Values{"labelSelector": {managed.Selector}})
	switch {
	case cluster.Forbidden(err):
		return lacks("the right to list secrets in namespace " + d.Namespace)
	case err != nil:
		return found(unknown("MCL100", helmvalues.Place{}, "Which clusters Argo CD manages", missing(err)))
	}
	var list []findings.Finding
	var clusters []managed.Cluster
	for _, secret := range secrets {
		one, err := managed.Parse(secret.Metadata.Name, secret.Data)
		switch {
		case one.Local():
		case err != nil:
			list = append(list, one.Explain(err))
		default:
			clusters = append(clusters, one)
		}
	}
	if len(clusters)+len(list) == 0 {
		return nothing("no other cluster is registered")
	}
	projects, err := listed[managed.Project](ctx, d, "/apis/argoproj.io/v1alpha1/namespaces/"+d.Namespace+"/appprojects", nil)
	if err != nil {
		list = append(list, unknown("MCL100", helmvalues.Place{}, "What the AppProjects may deploy", missing(err)))
	}
	return found(append(list, d.everyManaged(ctx, clusters, projects)...)...)
}

type managedSecret struct {
	Metadata cluster.Meta      `json:"metadata"`
	Data     map[string][]byte `json:"data"`
}

func listed[T any](ctx context.Context, d *state, collection string, query url.Values) ([]T, error) {
	raw, err := d.Cluster.List(ctx, collection, query)
	var all []T
	for _, text := range raw {
		var one T
		if json.Unmarshal(text, &one) == nil {
			all = append(all, one)
		}
	}
	return all, err
}

// everyManaged checks all clusters in parallel and returns their findings in the order of the clusters.
func (d *state) everyManaged(ctx context.Context, clusters []managed.Cluster, projects []managed.Project) []findings.Finding {
	each := make([][]findings.Finding, len(clusters))
	var group errgroup.Group
	for i, one := range clusters {
		group.Go(func() (crashed error) {
			defer process.ContainPanic(&crashed)
			each[i] = d.managed(ctx, one, projects)
			return nil
		})
	}
	var list []findings.Finding
	if crashed := group.Wait(); crashed != nil {
		list = append(list, unknown("MCL100", helmvalues.Place{}, "Whether managed clusters can be used", crashed.Error()))
	}
	for _, of := range each {
		list = append(list, of...)
	}
	return list
}

// managed returns the findings about one cluster.
func (d *state) managed(ctx context.Context, one managed.Cluster, projects []managed.Project) []findings.Finding {
	place := helmvalues.Place{Value: "Secret " + one.Secret}
	if foreign := one.Foreign(); foreign != "" {
		return []findings.Finding{unknown("MCL100", place, "Whether cluster "+one.Name+" can be used", "Argo CD connects to it by "+foreign+", which only its pods have")}
	}
	var list []findings.Finding
	if one.Config.TLS.Insecure {
		list = append(list, findings.New("MCL106", place, one.Server, one.Name, one.Secret))
	}
	if one.Permanent() {
		list = append(list, findings.New("MCL107", place, one.Name, one.Secret))
	}
	rights, err := one.Rights(ctx, projects)
	if err != nil {
		return append(list, one.Explain(err))
	}
	for _, lacking := range rights.Missing {
		list = append(list, findings.New("MCL104", place, one.Name, lacking))
	}
	if respect := d.Values.String(respectPath, ""); len(rights.Unlisted) > 0 && respect != "normal" && respect != "strict" {
		list = append(list, findings.New("MCL105", d.place(respectPath), one.Name, strings.Join(rights.Unlisted, ", ")))
	}
	return list
}
