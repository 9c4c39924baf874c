package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/process"
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

// neighbors are controllers that conflict with those of this release.
var neighbors = []struct {
	// selector finds the workload by the labels of the project's manifests and charts.
	selector, title, chart string
	// narrow is the value that limits the controller to its namespace, and wide the value with which it manages the objects of every namespace.
	narrow string
	wide   bool
}{
	{selector: "app.kubernetes.io/name=argocd-server", title: "Argo CD", chart: "argo-cd"},
	{"app.kubernetes.io/name=argo-rollouts", "Argo Rollouts", "argo-rollouts", "argo-rollouts.clusterInstall", true},
	{partOf + "=argo-events", "Argo Events", "argo-events", "argo-events.controller.rbac.namespaced", false},
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
		for _, labels := range d.labelsOf(neighbor.selector, neighbor.chart) {
			queries.Go(func() (crashed error) {
				defer process.ContainPanic(&crashed)
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
		namespace := d.otherNamespace(present[i])
		switch {
		case namespace == "":
		case neighbor.narrow == "":
			list = append(list, d.collisions(neighbor.chart, neighbor.title, namespace)...)
		case d.Values.Bool(neighbor.narrow, neighbor.wide) == neighbor.wide:
			list = append(list, findings.New("CLU502", d.place(neighbor.chart+".enabled"), neighbor.title, namespace).
				WithFix("--set %s.enabled=false, or limit both to their namespace: --set %s=%t", neighbor.chart, neighbor.narrow, !neighbor.wide))
		}
	}
	return found(list...)
}

// otherNamespace returns the first namespace, by name, of a workload outside the release's namespace; empty for none.
func (d *state) otherNamespace(present []cluster.Workload) string {
	var others []string
	for _, workload := range present {
		if workload.Metadata.Namespace != d.Namespace {
			others = append(others, workload.Metadata.Namespace)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return slices.Min(others)
}

// labelsOf returns the selectors that find a project's workload: its usual label, and for Argo CD the labels that the values set.
func (d *state) labelsOf(selector, chart string) []string {
	selectors := []string{selector}
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

// collisions returns a finding for each setting that makes two installs of Argo CD conflict.
func (d *state) collisions(chart, title, namespace string) []findings.Finding {
	var list []findings.Finding
	name := chart + ".fullnameOverride"
	if d.Values.String(name, "") == "" {
		list = append(list, findings.New("CLU501", d.place(name), title, namespace, "no separate name").
			WithFix("--set %s=<another name>", name))
	}
	if d.Values.String(trackingPath, "") != tracking {
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
