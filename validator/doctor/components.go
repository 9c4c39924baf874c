package doctor

import (
	"cmp"
	"fmt"
	"maps"
)

// components are the values of each program, by the label app.kubernetes.io/name of its pods and, where programs share it, the component.
var components = map[string]string{
	"argocd-application-controller":      "argo-cd.controller",
	"argocd-applicationset-controller":   "argo-cd.applicationSet",
	"argocd-commit-server":               "argo-cd.commitServer",
	"argocd-dex-server":                  "argo-cd.dex",
	"argocd-notifications-controller":    "argo-cd.notifications",
	"argocd-redis":                       "argo-cd.redis",
	"argocd-redis-ha-haproxy":            "argo-cd.redis-ha.haproxy",
	"argocd-redis-ha-server":             "argo-cd.redis-ha.redis",
	"argocd-repo-server":                 "argo-cd.repoServer",
	"argocd-server":                      "argo-cd.server",
	"argo-events-controller-manager":     "argo-events.controller",
	"argo-events-events-webhook":         "argo-events.webhook",
	"argo-rollouts":                      "argo-rollouts.controller",
	"argo-rollouts/rollouts-dashboard":   "argo-rollouts.dashboard",
	"argo-workflows-workflow-controller": "argo-workflows.controller",
	"argo-workflows-server":              "argo-workflows.server",
	"tunnel-client":                      "tunnel-client",
	"app-proxy":                          "app-proxy",
	"argo-gateway":                       "argo-gateway",
	"cluster-event-reporter":             "event-reporters.cluster-event-reporter",
	"runtime-event-reporter":             "event-reporters.runtime-event-reporter",
	"gitops-operator":                    "gitops-operator",
	"internal-router":                    "internal-router",
	"redis":                              "redis",
	"sealed-secrets":                     "sealed-secrets",
}

// Components returns the path of the values of each program, by the label app.kubernetes.io/name of its pods.
func Components() map[string]string { return maps.Clone(components) }

// valuesOf returns the path of the values of a pod's program, "" for pods of users.
func valuesOf(labels map[string]string) string {
	name := labels["app.kubernetes.io/name"]
	return cmp.Or(components[name+"/"+labels["app.kubernetes.io/component"]], components[name])
}

// upgrade returns the command that sets a value of the release; CHART is what it was installed from.
func (d *state) upgrade(set string) string {
	if d.Application != nil {
		return fmt.Sprintf("argocd app set %s --app-namespace %s --parameter %s, unless Git has the Application", d.Application.Name, d.Application.Namespace, set)
	}
	version := "VERSION"
	if d.Release.Chart != nil && d.Release.Chart.Metadata != nil {
		version = d.Release.Chart.Metadata.Version
	}
	return fmt.Sprintf("helm upgrade %s CHART --version %s --namespace %s --reuse-values --set %s", d.Release.Name, version, d.namespace, set)
}

// restore returns the command that creates and corrects the objects of the release, which needs no chart.
func (d *state) restore() string {
	if d.Application != nil {
		return fmt.Sprintf("argocd app sync %s --app-namespace %s", d.Application.Name, d.Application.Namespace)
	}
	return fmt.Sprintf("helm rollback %s %d --namespace %s", d.Release.Name, d.Release.Version, d.namespace)
}

// reapply returns the command that also corrects custom resources and definitions: of those, Helm 3 compares only the manifests of two revisions,
// https://github.com/helm/helm/blob/v3.22.0/pkg/kube/client.go (createPatch).
func (d *state) reapply() string {
	if d.Application != nil {
		return d.restore()
	}
	return fmt.Sprintf("helm get manifest %s --revision %d --namespace %s | kubectl apply --server-side --force-conflicts --field-manager helm --namespace %s --filename -",
		d.Release.Name, d.Release.Version, d.namespace, d.namespace)
}
