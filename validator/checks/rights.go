package checks

import (
	"context"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/process"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// kind is a resource that the chart renders.
type kind struct {
	group, resource string
	clusterWide     bool
}

// rendered are the kinds of the chart's objects. It omits those of Argo and of the Gateway API if the chart or the mode installs their CRDs.
var rendered = []kind{
	{"", "configmaps", false}, {"", "secrets", false}, {"", "serviceaccounts", false}, {"", "services", false},
	{"apps", "deployments", false}, {"apps", "statefulsets", false}, {"batch", "jobs", false},
	{"rbac.authorization.k8s.io", "roles", false}, {"rbac.authorization.k8s.io", "rolebindings", false},
	{"networking.k8s.io", "ingresses", false}, {"policy", "poddisruptionbudgets", false},
	{"rbac.authorization.k8s.io", "clusterroles", true}, {"rbac.authorization.k8s.io", "clusterrolebindings", true},
	{"apiextensions.k8s.io", "customresourcedefinitions", true},
}

func (k kind) String() string {
	if k.group == "" {
		return k.resource
	}
	return k.resource + "." + k.group
}

// checkRights checks the permission to create each kind; it queries all kinds in parallel.
func checkRights(ctx context.Context, d *state) engine.Outcome {
	switch {
	case d.InHook:
		return nothing("Helm creates the objects itself, by its own rights")
	case d.Cluster == nil:
		return lacks(needsCluster)
	}
	denied := make([]bool, len(rendered))
	var once sync.Once
	var failed error
	var queries errgroup.Group
	for i, kind := range rendered {
		if kind.clusterWide && d.Values.Bool(singlePath, false) && !d.sealsEverywhere(kind) {
			continue
		}
		namespace := d.Namespace
		if kind.clusterWide {
			namespace = ""
		}
		queries.Go(func() (crashed error) {
			defer process.ContainPanic(&crashed)
			allowed, err := d.Cluster.Allowed(ctx, "create", kind.group, kind.resource, namespace)
			if err != nil {
				once.Do(func() { failed = err })
			}
			denied[i] = err == nil && !allowed
			return nil
		})
	}
	if crashed := queries.Wait(); crashed != nil {
		failed = crashed
	}
	return d.rights(denied, failed)
}

// sealsEverywhere reports whether a kind is one of the roles with which sealed-secrets reads every namespace, also in a single-namespace runtime.
func (d *state) sealsEverywhere(of kind) bool {
	return of.group == "rbac.authorization.k8s.io" && d.Values.Bool("sealed-secrets.enabled", true) &&
		d.Values.Bool("sealed-secrets.rbac.create", true) && d.Values.Bool("sealed-secrets.rbac.clusterRole", true)
}

func (d *state) rights(denied []bool, failed error) engine.Outcome {
	inside, wide := []string{}, []string{}
	for i, kind := range rendered {
		switch {
		case denied[i] && kind.clusterWide:
			wide = append(wide, kind.String())
		case denied[i]:
			inside = append(inside, kind.String())
		}
	}
	var list []findings.Finding
	if len(inside) > 0 {
		list = append(list, findings.New("CLU301", helmvalues.Place{}, strings.Join(inside, ", ")+" in namespace "+d.Namespace))
	}
	if len(wide) > 0 {
		list = append(list, findings.New("CLU301", d.place(singlePath), strings.Join(wide, ", ")+" in the cluster").
			WithFix("install as a cluster administrator, or set global.runtime.singleNamespace=true and sealed-secrets.rbac.clusterRole=false"))
	}
	if failed != nil {
		list = append(list, unknown("CLU300", helmvalues.Place{}, "What you may create", missing(failed)))
	}
	return found(list...)
}
