package checks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/internal/contain"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const (
	trackingPath = `argo-cd.configs.cm.application\.resourceTrackingMethod`
	tracking     = "annotation+label"
	appProxy     = "cap-app-proxy"
	singlePath   = "global.runtime.singleNamespace"
	serverLabels = "installer.argoCdVersionCheck.argoServerLabels"
)

// neighbors are controllers that must not share a name or tracking method with those of this release.
var neighbors = []struct {
	// label is the app.kubernetes.io/name of the workload in the project's manifests and charts.
	label, title, chart string
}{
	{"argocd-server", "Argo CD", "argo-cd"},
	{"argo-rollouts", "Argo Rollouts", "argo-rollouts"},
}

// checkNeighbors finds neighbors in other namespaces; it queries all selectors in parallel.
func checkNeighbors(ctx context.Context, d *state) engine.Outcome {
	if cannot, ok := d.reach(); !ok {
		return cannot
	}
	present, failed := make([][]cluster.Workload, len(neighbors)), make([]error, len(neighbors))
	var queries errgroup.Group
	var mutex sync.Mutex
	for i, neighbor := range neighbors {
		if !d.Values.Bool(neighbor.chart+".enabled", true) {
			continue
		}
		for _, labels := range d.labelsOf(neighbor.label, neighbor.chart) {
			queries.Go(func() (crashed error) {
				defer contain.Panic(&crashed)
				more, err := d.Cluster.Deployments(ctx, labels, "")
				mutex.Lock()
				defer mutex.Unlock()
				present[i] = append(present[i], more...)
				if err != nil {
					failed[i] = err
				}
				return nil
			})
		}
	}
	if crashed := queries.Wait(); crashed != nil {
		failed[0] = crashed
	}
	var list []findings.Finding
	for i, neighbor := range neighbors {
		if failed[i] != nil {
			return found(unknown("CLU500", helmvalues.Place{}, "Whether another "+neighbor.title+" runs on the cluster", missing(failed[i])))
		}
		list = append(list, d.inOtherNamespace(neighbor.chart, neighbor.title, present[i])...)
	}
	return found(list...)
}

// inOtherNamespace returns the collisions with the first workload, by namespace, that is in another namespace.
func (d *state) inOtherNamespace(chart, title string, present []cluster.Workload) []findings.Finding {
	slices.SortFunc(present, func(a, b cluster.Workload) int { return cmp.Compare(a.Metadata.Namespace, b.Metadata.Namespace) })
	for _, workload := range present {
		if workload.Metadata.Namespace != d.Namespace {
			return d.collisions(chart, title, workload.Metadata.Namespace)
		}
	}
	return nil
}

// labelsOf returns the selectors that find a project's workload: its usual name, and for Argo CD the labels that the values set.
func (d *state) labelsOf(name, chart string) []string {
	selectors := []string{"app.kubernetes.io/name=" + name}
	if chart != "argo-cd" {
		return selectors
	}
	given := d.Values.Map(serverLabels)
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		labels = append(labels, fmt.Sprintf("%s=%v", key, given[key]))
	}
	if len(labels) > 0 {
		selectors = append(selectors, strings.Join(labels, ","))
	}
	return selectors
}

// collisions returns a finding for each setting that makes two installs of a project conflict.
func (d *state) collisions(chart, title, namespace string) []findings.Finding {
	var list []findings.Finding
	name := chart + ".fullnameOverride"
	if d.Values.String(name, "") == "" {
		list = append(list, findings.New("CLU501", d.place(name), title, namespace, "no separate name").
			WithFix("--set %s=<another name>", name))
	}
	if chart == "argo-cd" && d.Values.String(trackingPath, "") != tracking {
		list = append(list, findings.New("CLU501", d.place(trackingPath), title, namespace, "another resource tracking than "+tracking).
			WithFix("set %s: %s", trackingPath, tracking))
	}
	return list
}

// checkRuntimes finds another runtime by the Deployment of app-proxy, which has the same name in every runtime.
func checkRuntimes(ctx context.Context, d *state) engine.Outcome {
	switch {
	case d.Values.Bool(singlePath, false):
		return nothing(singlePath + " is set")
	case d.Cluster == nil:
		return lacks(needsCluster)
	}
	present, err := d.Cluster.Deployments(ctx, "", appProxy)
	if err != nil {
		return found(unknown("CLU600", helmvalues.Place{}, "Whether another runtime is on the cluster", missing(err)))
	}
	for _, workload := range present {
		if workload.Metadata.Namespace != d.Namespace {
			return found(findings.New("CLU601", d.place(singlePath), workload.Metadata.Namespace))
		}
	}
	return found()
}
