package checks

import (
	"context"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const (
	partOf   = "app.kubernetes.io/part-of"
	instance = "app.kubernetes.io/instance"
	// installed is the annotation of app-proxy's Deployment with the controllers that its release installs, separated by commas.
	installed = "codefresh.io/argo-controllers"
)

// controllers are the controllers that releases of the published chart lack: 0.27 dropped Argo Rollouts, 0.28 Argo Events, and none had the
// notifications controller. Their users may have installed their own.
var controllers = []struct {
	// name is the controller's in the annotation; enabled is the path of its value.
	name, title, enabled string
	// labels are those of its Deployment, in this chart and the published one.
	labels map[string]string
	// needs is the path of a value without which it is not installed, empty for none.
	needs string
}{
	{"argo-rollouts", "Argo Rollouts", "argo-rollouts.enabled", map[string]string{partOf: "argo-rollouts"}, ""},
	{"argo-events", "Argo Events", "argo-events.enabled", map[string]string{partOf: "argo-events"}, ""},
	{
		"argocd-notifications", "notifications controller of Argo CD", "argo-cd.notifications.enabled",
		map[string]string{partOf: "argocd", "app.kubernetes.io/component": "notifications-controller"}, "argo-cd.enabled",
	},
}

// checkRelease finds releases that are too old to be upgraded, and controllers that an upgrade would add although no value asks for them. A release is recognized by the Deployment of app-proxy,
// since an install through Argo CD does not tell whether it is an upgrade.
func checkRelease(ctx context.Context, d *state) engine.Outcome {
	if d.Cluster == nil {
		return lacks(needsCluster)
	}
	present, err := d.Cluster.DeploymentsIn(ctx, d.Namespace)
	if err != nil {
		return found(unknown("CLU800", helmvalues.Place{}, "Which controllers this release has", missing(err)))
	}
	proxy := slices.IndexFunc(present, isAppProxy)
	if proxy < 0 {
		return nothing("this is a new runtime")
	}
	if older := olderThanSupported(present[proxy]); older != "" {
		return found(findings.New("CLU802", helmvalues.Place{}, older))
	}
	recorded, known := present[proxy].Metadata.Annotations[installed]
	var list []findings.Finding
	for _, controller := range controllers {
		_, set := d.Values.Get(controller.enabled)
		if set || controller.needs != "" && !d.Values.Bool(controller.needs, true) {
			continue
		}
		has := slices.Contains(strings.Split(recorded, ","), controller.name)
		if !known {
			has = slices.ContainsFunc(present, func(workload cluster.Workload) bool { return d.owns(workload, controller.labels) })
		}
		if !has {
			list = append(list, findings.New("CLU801", d.place(controller.enabled), controller.title).
				WithFix("--set %s=true to add it, or --set %s=false to leave it out", controller.enabled, controller.enabled))
		}
	}
	return found(list...)
}

// oldestChart is the oldest published chart whose releases this chart takes over.
var oldestChart = semver.MustParse("0.24.0")

// olderThanSupported returns the published chart that created app-proxy's Deployment, by its label helm.sh/chart, if it is older than the oldest
// supported one; every version of the published chart since 0.2 sets it. Versions that are none are not compared.
func olderThanSupported(proxy cluster.Workload) string {
	chart := proxy.Metadata.Labels["helm.sh/chart"]
	version, err := semver.NewVersion(strings.TrimPrefix(chart, "gitops-runtime-"))
	if err != nil {
		return ""
	}
	release, err := version.SetPrerelease("")
	if err != nil || !release.LessThan(oldestChart) {
		return ""
	}
	return chart
}

// isAppProxy reports whether a Deployment is app-proxy, whose labels are the same in every version.
func isAppProxy(workload cluster.Workload) bool {
	return workload.Metadata.Name == appProxy || workload.Metadata.Labels[partOf] == "app-proxy"
}

// owns reports whether a Deployment has all labels and belongs to this release.
func (d *state) owns(workload cluster.Workload, labels map[string]string) bool {
	if release := workload.Metadata.Labels[instance]; release != "" && d.Release != "" && release != d.Release {
		return false
	}
	for key, value := range labels {
		if workload.Metadata.Labels[key] != value {
			return false
		}
	}
	return true
}
