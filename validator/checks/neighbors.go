package checks

import (
	"context"
	"fmt"
	"slices"

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

// checkNeighbors finds controllers in other namespaces that act on the same objects: by what their Deployments run, or by their labels.
func checkNeighbors(ctx context.Context, d *state) engine.Outcome {
	if cannot, ok := d.reach(); !ok {
		return cannot
	}
	present, err := d.Cluster.Deployments(ctx, "", "")
	if err != nil {
		return found(unknown("CLU500", helmvalues.Place{}, "Whether other controllers of these kinds run on the cluster", missing(err)))
	}
	var list []findings.Finding
	if namespace := d.otherArgoCD(present); namespace != "" && d.Values.Bool("argo-cd.enabled", true) {
		list = append(list, d.collisions("argo-cd", "Argo CD", namespace)...)
	}
	for _, neighbor := range neighbors {
		if !d.Values.Bool(neighbor.chart+".enabled", true) || !d.Values.Bool(neighbor.chart+".createController", true) {
			continue
		}
		for _, workload := range present {
			if finding, overlaps := d.overlap(neighbor, workload); overlaps {
				list = append(list, finding)
				break
			}
		}
	}
	return found(list...)
}

// overlap returns a finding if a Deployment of another namespace acts on the same objects as this release's controller.
func (d *state) overlap(of neighbor, workload cluster.Workload) (findings.Finding, bool) {
	namespace := workload.Metadata.Namespace
	other, runs := of.watchOf(workload)
	own := of.own(d.Values)
	if !runs || namespace == d.Namespace || other.instance != own.instance || !other.everywhere && !own.everywhere {
		return findings.Finding{}, false
	}
	at, narrow := d.place(of.chart+".enabled"), of.narrow(d.Namespace)
	title, name := of.title, namespace+"/"+workload.Metadata.Name
	switch {
	case own.everywhere && other.everywhere:
		return findings.New("CLU502", at, title, name, of.kinds).WithFix("%s; or limit both to their namespaces, this one by --set %s", of.fix, narrow), true
	case own.everywhere:
		return findings.New("CLU503", at, title, "this release", of.kinds, namespace, name).WithFix("--set %s", narrow), true
	}
	return findings.New("CLU503", at, title, name, of.kinds, d.Namespace, "this release").WithFix("limit the other one to its namespace; or %s", of.fix), true
}

// otherArgoCD returns the first namespace, by name, of an Argo CD server outside the release's namespace; empty for none.
func (d *state) otherArgoCD(present []cluster.Workload) string {
	var others []string
	for _, workload := range present {
		given := workload.Metadata.Labels
		custom := d.Values.Map(serverLabels)
		matches := len(custom) > 0
		for key, value := range custom {
			matches = matches && given[key] == fmt.Sprint(value)
		}
		if workload.Metadata.Namespace != d.Namespace && (matches || given["app.kubernetes.io/name"] == "argocd-server") {
			others = append(others, workload.Metadata.Namespace)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return slices.Min(others)
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
