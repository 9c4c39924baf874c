package checks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// argoDefinitions are the CRDs of each Argo project; the chart installs them if both values are true.
var argoDefinitions = []struct {
	enabled, install string
	names            []string
}{
	{"argo-cd.enabled", "argo-cd.crds.install", []string{"applications", "applicationsets", "appprojects"}},
	{"argo-rollouts.enabled", "argo-rollouts.installCRDs", []string{"analysisruns", "analysistemplates", "clusteranalysistemplates", "experiments", "rollouts"}},
	{"argo-workflows.enabled", "argo-workflows.crds.install", []string{
		"clusterworkflowtemplates", "cronworkflows", "workflowartifactgctasks", "workfloweventbindings", "workflows", "workflowtaskresults", "workflowtasksets", "workflowtemplates",
	}},
	{"argo-events.enabled", "argo-events.crds.install", []string{"eventbus", "eventsources", "sensors"}},
}

// checkDefinitions finds existing CRDs that the chart would install and that do not belong to this release.
func checkDefinitions(ctx context.Context, d *state) engine.Outcome {
	if cannot, ok := d.reach(); !ok {
		return cannot
	}
	wanted := map[string]bool{}
	for _, project := range argoDefinitions {
		if d.Values.Bool(project.enabled, true) && d.Values.Bool(project.install, true) {
			for _, name := range project.names {
				wanted[name+".argoproj.io"] = true
			}
		}
	}
	if len(wanted) == 0 {
		return nothing("the chart installs no CRDs")
	}
	present, err := d.Cluster.CRDs(ctx)
	if err != nil {
		return found(unknown("CLU400", helmvalues.Place{}, "The owner of the Argo CRDs", missing(err)))
	}
	byOwner := map[string][]string{}
	for _, definition := range present {
		if owner := d.owner(definition); wanted[definition.Name] && owner != "" {
			byOwner[owner] = append(byOwner[owner], definition.Name)
		}
	}
	var list []findings.Finding
	for _, owner := range slices.Sorted(maps.Keys(byOwner)) {
		names := slices.Sorted(slices.Values(byOwner[owner]))
		list = append(list, findings.New("CLU401", helmvalues.Place{}, strings.Join(names, ", "), owner).
			WithFix("%s", d.adopt(names)))
	}
	return found(list...)
}

// owner returns a description of the owner of an object, "" for this release.
func (d *state) owner(object cluster.Meta) string {
	name, namespace := object.Annotations["meta.helm.sh/release-name"], object.Annotations["meta.helm.sh/release-namespace"]
	managed := object.Labels["app.kubernetes.io/managed-by"] == "Helm"
	switch {
	case managed && name == d.Release && namespace == d.Namespace:
		return ""
	case name != "":
		return fmt.Sprintf("the release %s in namespace %s", name, namespace)
	}
	return "no Helm release"
}

// adopt returns the commands that transfer CRDs to this release.
func (d *state) adopt(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = cleantext.Argument(name)
	}
	crds := strings.Join(quoted, " ")
	return fmt.Sprintf("kubectl label crd %s app.kubernetes.io/managed-by=Helm --overwrite && "+
		"kubectl annotate crd %s meta.helm.sh/release-name=%s meta.helm.sh/release-namespace=%s --overwrite",
		crds, crds, cleantext.Argument(d.Release), cleantext.Argument(d.Namespace))
}
