package doctor

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/preview"
)

// checkStatus finds a release that is not deployed, with the command of docs/troubleshooting.md for its state.
func checkStatus(ctx context.Context, d *state) engine.Outcome {
	if one := d.Application; one != nil {
		if one.Phase == "Failed" || one.Phase == "Error" {
			return found(findings.New("REL102", at("Application", one.Namespace, one.Name), one.Name, strings.ToLower(one.Phase), strings.TrimSuffix(one.Message, ".")).WithFix("correct what the message names, then %s", d.restore()))
		}
		return found()
	}
	stored, err := d.Cluster.Metadata(ctx, d.core("secrets"), "owner=helm,name="+d.Release.Name)
	if err != nil {
		return unknown("REL100", "The revisions of the release", err)
	}
	last, deployed, status := 0, 0, ""
	for _, one := range stored {
		revision, _ := strconv.Atoi(one.Labels["version"])
		if revision > last {
			last, status = revision, one.Labels["status"]
		}
		if one.Labels["status"] == "deployed" {
			deployed = max(deployed, revision)
		}
	}
	if status == "deployed" || status == "" {
		return found()
	}
	name, place := d.Release.Name, at("release", d.namespace, d.Release.Name)
	made := findings.New("REL101", place, last, status)
	switch status {
	case "pending-install", "uninstalling":
		return found(made.WithFix("helm uninstall %s --namespace %s, then install again", name, d.namespace))
	case "pending-upgrade", "pending-rollback":
		return found(made.WithFix("helm rollback %s %d --namespace %s", name, deployed, d.namespace))
	}
	return found(made.WithFix("helm history %s --namespace %s says why; correct the values, then helm upgrade", name, d.namespace))
}

// readers is the number of objects that are read at once.
const readers = 8

// checkDrift compares each live object with its manifest. Definitions are those of DEF100.
func checkDrift(ctx context.Context, d *state) engine.Outcome {
	results := make([][]findings.Finding, len(d.parts))
	var all sync.WaitGroup
	slots := make(chan struct{}, readers)
	for i, part := range d.parts {
		if part.Kind == "CustomResourceDefinition" {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			results[i] = d.drift(ctx, part)
		})
	}
	all.Wait()
	var list []findings.Finding
	denied := map[string]int{}
	for _, one := range slices.Concat(results...) {
		if one.Code == "REL200" {
			denied[one.Message]++
			continue
		}
		list = append(list, one)
	}
	for _, message := range slices.Sorted(maps.Keys(denied)) {
		list = append(list, findings.New("REL200", at("release", d.namespace, d.Release.Name), fmt.Sprintf("%d objects are not known: %s.", denied[message], message)))
	}
	return found(list...)
}

func (d *state) drift(ctx context.Context, part preview.Part) []findings.Finding {
	place := at(part.Kind, part.Namespace, part.Name)
	var live map[string]any
	collection, err := d.kinds.Collection(ctx, part.APIVersion, part.Kind, part.Namespace)
	if err == nil {
		err = d.Cluster.Get(ctx, collection+"/"+part.Name, &live)
	}
	switch {
	case cluster.NotFound(err):
		return []findings.Finding{findings.New("REL201", place, part.Kind+" "+part.Name).WithFix("%s", d.restore())}
	case err != nil:
		why := reason(err)
		if cluster.Forbidden(err) { // one sentence for all objects of a kind
			why = "no permission to get " + path.Base(collection)
		}
		return []findings.Finding{findings.New("REL200", place, why)}
	}
	var fields []string
	for _, each := range part.Drift(live) {
		if d.Application != nil && strings.HasSuffix(each.Path, "labels.app.kubernetes.io/instance") {
			continue // by which Argo CD may track what it has installed
		}
		if each.Path == "spec.replicas" && each.After != nil && *each.After == "0" {
			continue // POD111
		}
		fields = append(fields, each.Path)
	}
	if len(fields) == 0 {
		return nil
	}
	command := d.restore()
	if !builtIn.MatchString(part.APIVersion) {
		command = d.reapply()
	}
	return []findings.Finding{findings.New("REL202", place, part.Kind+" "+part.Name, short(fields)).
		WithFix("%s restores it; a change that you want belongs in the values", command)}
}

// builtIn matches the API groups whose objects Helm compares with the live ones.
var builtIn = regexp.MustCompile(`^(v1|(apps|batch|autoscaling|policy|(networking|rbac\.authorization|scheduling|storage|coordination|admissionregistration)\.k8s\.io)/.*)$`)

// wanted is a definition of the chart or the release.
type wanted struct {
	spec, file string
	// owned means that the release contains it.
	owned bool
}

// definitions are those of the release, and those of the chart that the release left out because somebody else owns them.
func (d *state) definitions() (map[string]wanted, error) {
	all := map[string]wanted{}
	if d.Chart != nil {
		if err := d.shipped(d.Chart, "", all); err != nil {
			return nil, err
		}
	}
	for _, part := range d.parts {
		if part.Kind == "CustomResourceDefinition" {
			all[part.Name] = wanted{part.Spec, all[part.Name].file, true}
		}
	}
	return all, nil
}

// shipped adds the definitions in the files of a chart and of those it depends on, if the release has objects of that chart.
func (d *state) shipped(of *chart.Chart, folder string, all map[string]wanted) error {
	for _, file := range of.Files {
		if !strings.Contains(file.Name, "/crds/") || !strings.HasSuffix(file.Name, ".yaml") {
			continue
		}
		var definition struct {
			Kind     string
			Metadata struct{ Name string }
		}
		head, spec, _ := strings.Cut(string(file.Data), "\nspec:\n")
		if err := yaml.Unmarshal([]byte(head), &definition); err != nil {
			return fmt.Errorf("%s of the chart %s: %w", file.Name, of.Name(), err)
		}
		if definition.Kind == "CustomResourceDefinition" {
			all[definition.Metadata.Name] = wanted{spec: "spec:\n" + spec, file: path.Join(folder, file.Name)}
		}
	}
	for _, each := range of.Dependencies() {
		part := each.Name()
		if !slices.ContainsFunc(d.parts, func(p preview.Part) bool {
			return strings.HasPrefix(labelOf(p, "helm.sh/chart"), part+"-") || labelOf(p, "app.kubernetes.io/part-of") == partOf[part]
		}) {
			continue
		}
		if err := d.shipped(each, path.Join(folder, "charts", part), all); err != nil {
			return err
		}
	}
	return nil
}

// partOf is the label app.kubernetes.io/part-of of the objects of a chart.
var partOf = map[string]string{"argo-cd": "argocd", "argo-events": "argo-events", "argo-rollouts": "argo-rollouts", "argo-workflows": "argo-workflows"}

func labelOf(part preview.Part, label string) string {
	metadata, _ := part.Tree["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	text, _ := labels[label].(string)
	return text
}

func checkDefinitions(ctx context.Context, d *state) engine.Outcome {
	all, err := d.definitions()
	if err != nil {
		return unknown("DEF100", "The definitions of the chart", err)
	}
	outcome := engine.Outcome{}
	if d.Chart == nil {
		outcome.Note = "definitions that the release left out because another owner has them were not compared: name the chart with --chart"
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var live map[string]any
		err := d.Cluster.Get(ctx, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+name, &live)
		if err == nil {
			outcome.Findings = append(outcome.Findings, d.behind(name, all[name], live)...)
			continue
		}
		if cluster.NotFound(err) {
			outcome.Findings = append(outcome.Findings, findings.New("DEF102", at("CustomResourceDefinition", "", name), name).WithFix("%s", d.definition(all[name])))
			continue
		}
		return unknown("DEF100", "The definition "+name, err)
	}
	return outcome
}

func (d *state) behind(name string, want wanted, live map[string]any) []findings.Finding {
	place := at("CustomResourceDefinition", "", name)
	aged, err := preview.Behind(want.spec, live)
	if err != nil {
		return []findings.Finding{doubt("DEF100", "The definition "+name+" of the chart", err)}
	}
	var list []findings.Finding
	for _, version := range aged.Versions {
		list = append(list, findings.New("DEF103", place, name, version).WithFix("%s", d.definition(want)))
	}
	if len(aged.Fields) > 0 {
		fields := "1 field"
		if len(aged.Fields) > 1 {
			fields = fmt.Sprintf("%d fields", len(aged.Fields))
		}
		list = append(list, findings.New("DEF101", place, name, fields, aged.Fields[0]).WithFix("%s", d.definition(want)))
	}
	return list
}

// definition returns the command that replaces a definition.
func (d *state) definition(want wanted) string {
	if want.owned {
		return d.reapply()
	}
	return "in the folder of the chart (helm pull CHART --untar): kubectl apply --server-side --force-conflicts --filename " + want.file +
		"; or upgrade the release that owns it"
}
