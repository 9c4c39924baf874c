package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// neighbours are controllers that must not share a name or tracking with ours.
var neighbours = []struct {
	// label is what the project's own manifests and charts call the workload.
	label, title, chart string
}{
	{"argocd-server", "Argo CD", "argo-cd"},
	{"argo-rollouts", "Argo Rollouts", "argo-rollouts"},
}

func checkNeighbours(ctx context.Context, d *state) engine.Outcome {
	if cannot, ok := d.reach(); !ok {
		return cannot
	}
	var list []findings.Finding
	for _, neighbour := range neighbours {
		if !d.Values.Bool(neighbour.chart+".enabled", true) {
			continue
		}
		var present []cluster.Workload
		for _, labels := range d.labelsOf(neighbour.label, neighbour.chart) {
			more, err := d.Cluster.Deployments(ctx, labels, "")
			if err != nil {
				return found(unknown("CLU500", helmvalues.Place{}, "Whether another "+neighbour.title+" runs on the cluster", missing(err)))
			}
			present = append(present, more...)
		}
		for _, workload := range present {
			if workload.Metadata.Namespace != d.Namespace {
				list = append(list, d.collisions(neighbour.chart, neighbour.title, workload.Metadata.Namespace)...)
				break
			}
		}
	}
	return found(list...)
}

// labelsOf are the selectors by which a project's workload is found: its usual name, and for Argo CD the labels that the values give.
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

// collisions are what two installs of a project would share.
func (d *state) collisions(chart, title, namespace string) []findings.Finding {
	var list []findings.Finding
	name := chart + ".fullnameOverride"
	if d.Values.String(name, "") == "" {
		list = append(list, findings.New("CLU501", d.place(name), title, namespace, "no name of its own").
			WithFix("--set %s=<a name of its own>", name))
	}
	if chart == "argo-cd" && d.Values.String(trackingPath, "") != tracking {
		list = append(list, findings.New("CLU501", d.place(trackingPath), title, namespace, "another resource tracking than "+tracking).
			WithFix("set %s: %s", trackingPath, tracking))
	}
	return list
}

// checkRuntimes finds a second runtime by the one object that all have under
// the same name.
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
