package preview

import (
	"slices"
	"strings"

	"gitops-runtime/internal/facts"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// selector returns what selects the pods of an object, nil if the object selects none.
func (o *object) selector() labels.Selector {
	spec := o.tree.sub("spec")
	switch o.kind {
	case "Service":
		if only := spec.sub("selector"); len(only) > 0 {
			return selectorOf(tree{"matchLabels": map[string]any(only)})
		}
	case "PodDisruptionBudget":
		return selectorOf(spec.sub("selector"))
	case "NetworkPolicy":
		return selectorOf(spec.sub("podSelector"))
	}
	return nil
}

func selectorOf(fields tree) labels.Selector {
	var selector metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &selector); err != nil {
		return nil
	}
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		return nil
	}
	return parsed
}

// selects reports whether an object selects the pods of a workload.
func (o *object) selects(workload *object) bool {
	selector := o.selector()
	if selector == nil || o.namespace != workload.namespace || workload.template() == nil {
		return false
	}
	given := labels.Set{}
	for key, value := range workload.template().sub("metadata", "labels") {
		given[key] = scalar(value)
	}
	return selector.Matches(given)
}

// selecting returns the objects that select the pods of a workload.
func (s side) selecting(workload *object) []*object {
	var found []*object
	for _, each := range s.objects {
		if each.selects(workload) {
			found = append(found, each)
		}
	}
	return found
}

// selected returns the names of the workloads whose pods an object selects.
func (s side) selected(by *object) []string {
	var found []string
	for _, each := range s.objects {
		if slices.Contains(workloads, each.kind) && by.selects(each) {
			found = append(found, each.name)
		}
	}
	return found
}

// services returns the Services that send connections to a workload.
func (s side) services(workload *object) []string {
	var found []string
	for _, each := range s.selecting(workload) {
		if each.kind == "Service" {
			found = append(found, each.name)
		}
	}
	return found
}

// source of configuration of a pod: a ConfigMap or Secret, one of its keys or all, as variables or files.
type configuration struct {
	object, key, how string
}

const (
	asVariable = "variable"
	asFile     = "file"
	asSubPath  = "file with subPath"
)

// reads returns the configuration that a pod template reads.
func reads(template tree) []configuration {
	var found []configuration
	spec := template.sub("spec")
	add := func(reference tree, kind, field, key, how string) {
		if name := reference.text(field); name != "" {
			found = append(found, configuration{kind + "/" + name, key, how})
		}
	}
	volumes, partly := map[string]string{}, map[string]bool{}
	for _, container := range append(spec.subs("initContainers"), spec.subs("containers")...) {
		for _, variable := range container.subs("env") {
			from := variable.sub("valueFrom")
			add(from.sub("configMapKeyRef"), "ConfigMap", "name", from.sub("configMapKeyRef").text("key"), asVariable)
			add(from.sub("secretKeyRef"), "Secret", "name", from.sub("secretKeyRef").text("key"), asVariable)
		}
		for _, all := range container.subs("envFrom") {
			add(all.sub("configMapRef"), "ConfigMap", "name", "", asVariable)
			add(all.sub("secretRef"), "Secret", "name", "", asVariable)
		}
		for _, mount := range container.subs("volumeMounts") {
			volumes[mount.text("name")] = asFile
			partly[mount.text("name")] = partly[mount.text("name")] || mount["subPath"] != nil
		}
	}
	for _, volume := range spec.subs("volumes") {
		how := volumes[volume.text("name")]
		if partly[volume.text("name")] {
			how = asSubPath
		}
		for _, from := range append(volume.sub("projected").subs("sources"), volume) {
			add(from.sub("configMap"), "ConfigMap", "name", "", how)
			add(from.sub("secret"), "Secret", "secretName", "", how)
			add(from.sub("secret"), "Secret", "name", "", how)
		}
	}
	return found
}

// changedKeys returns the paths of what changes in a configuration.
func (c *comparison) changedKeys(of configuration) []string {
	var paths []string
	for _, change := range c.changes {
		rest, ok := strings.CutPrefix(change.Path, "data.")
		if change.Object == of.object && (ok || strings.HasPrefix(change.Path, "binaryData.")) && (of.key == "" || rest == of.key || strings.HasPrefix(rest, of.key+".")) {
			paths = append(paths, change.Path)
		}
	}
	return paths
}

// unread lists the changed configuration of pods that do not restart.
func (c *comparison) unread(is *object) []Item {
	stale, files := map[string][]string{}, map[string][]string{}
	for _, each := range reads(is.template()) {
		if c.before.named[each.object] == nil || c.after.named[each.object] == nil {
			continue
		}
		if paths := c.changedKeys(each); len(paths) > 0 {
			into := stale
			if each.how == asFile {
				into = files
			}
			into[each.object] = append(into[each.object], paths...)
		}
	}
	var items []Item
	for _, one := range []struct {
		change, message string
		of              map[string][]string
	}{
		{"keeps old", "does not restart, and reads this only when it starts: ", stale},
		{"reloads", "does not restart; its files change within about a minute, and whether the program reads them again is not known: ", files},
	} {
		for _, name := range facts.Union(one.of, nil) {
			items = append(items, Item{Change: one.change, Component: is.component(), Object: is.name, Message: one.message + name + " " + list(slices.Compact(slices.Sorted(slices.Values(one.of[name]))))})
		}
	}
	return items
}
