package preview

import (
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/releaseutil"

	"gitops-runtime/internal/facts"
)

// workloads are the kinds whose pods the release keeps running, in Helm's order.
var workloads = []string{"DaemonSet", "Deployment", "StatefulSet"}

// restarts lists the pods that restart, start and end, with the fields that are the reason, and the gaps in service.
func (c *comparison) restarts() Section {
	section := Section{Name: "restarts", Title: "Which pods restart"}
	for _, name := range facts.Union(c.before.named, c.after.named) {
		was, is := c.before.named[name], c.after.named[name]
		kind, _, _ := strings.Cut(name, "/")
		if !slices.Contains(workloads, kind) {
			continue
		}
		switch {
		case was == nil:
			section.Items = append(section.Items, Item{Change: "starts", Component: is.component(), Object: name, Message: plural(c.after.replicas(is), "new pod")})
		case is == nil && !was.kept():
			section.Items = append(section.Items, c.ends(was))
		case is == nil:
		default:
			section.Items = append(section.Items, c.restart(was, is)...)
		}
	}
	slices.SortStableFunc(section.Items, func(a, b Item) int { return order(a.Object) - order(b.Object) })
	if len(section.Items) > 0 {
		section.Notes = []string{"Helm runs its pre-upgrade hooks, changes the objects in the order of this list without waiting between them, removes what is no longer part of the release, " +
			"and runs its post-upgrade hooks. All Deployments and DaemonSets therefore restart at the same time; a StatefulSet restarts one pod after the other, the highest number first."}
	}
	return section
}

// order is the position of an object's kind in an upgrade.
func order(name string) int {
	kind, _, _ := strings.Cut(name, "/")
	return slices.Index(releaseutil.InstallOrder, kind)
}

func (c *comparison) ends(was *object) Item {
	item := Item{Change: "ends", Component: was.component(), Object: was.name, Message: plural(c.before.replicas(was), "pod") + " without a successor of the same name", Alarms: []string{"restarts"}}
	if services := c.before.services(was); len(services) > 0 {
		item.Message += "; answered for " + list(services)
		item.Alarms = append(item.Alarms, "gaps")
	}
	return item
}

func (c *comparison) restart(was, is *object) []Item {
	if slices.ContainsFunc(c.refused(), func(change facts.Change) bool { return change.Object == is.name }) {
		return []Item{{Change: "blocked", Component: is.component(), Object: is.name, Message: "its pods stay as they are: the API server refuses the change of the object, see below"}}
	}
	if pods, then := c.before.replicas(was), c.after.replicas(is); pods == 0 || then == 0 {
		return c.scaled(is, pods, then)
	}
	raw := differences("", map[string]any(was.template()), map[string]any(is.template()))
	if len(raw) == 0 {
		return c.unread(is)
	}
	item := Item{Change: "restarts", Component: is.component(), Object: is.name, Alarms: []string{"restarts"}, Details: c.reasons(is, raw)}
	spec := is.tree.sub("spec")
	switch {
	case spec.sub("updateStrategy").text("type") == "OnDelete":
		item.Change, item.Alarms, item.Message = "waits", nil, "OnDelete: each pod restarts only when somebody deletes it"
		return []Item{item}
	case spec["paused"] == true, amount(spec.sub("updateStrategy", "rollingUpdate")["partition"], 1, 0, true) >= c.after.replicas(is) && is.kind == "StatefulSet":
		item.Change, item.Alarms, item.Message = "waits", nil, "the rollout is paused, or the partition of the update leaves out every pod"
		return []Item{item}
	}
	how, gap := c.how(was, is)
	if gap {
		item.Alarms = append(item.Alarms, "gaps")
	}
	item.Message = how
	return []Item{item}
}

// scaled returns what happens to the pods of a workload that has none before or after the upgrade.
func (c *comparison) scaled(is *object, before, after int) []Item {
	item := Item{Component: is.component(), Object: is.name}
	switch {
	case before == 0 && after == 0:
		return nil
	case before == 0:
		item.Change, item.Message = "starts", plural(after, "pod")+" of a workload that had none"
	default:
		item.Change, item.Message, item.Alarms = "ends", plural(before, "pod")+"; the workload stays with none", []string{"restarts"}
		if services := c.after.services(is); len(services) > 0 {
			item.Message += "; answered for " + list(services)
			item.Alarms = append(item.Alarms, "gaps")
		}
	}
	return []Item{item}
}

// how describes how the pods are replaced, and reports whether that is a gap in service.
func (c *comparison) how(was, is *object) (string, bool) {
	// Controllers first add the pods that more replicas ask for, and take what may be unavailable from the new number.
	before, pods := c.before.replicas(was), c.after.replicas(is)
	parts, gap := []string{plural(before, "pod")}, false
	if pods > before {
		parts[0] += fmt.Sprintf(", %d more", pods-before)
	}
	switch is.kind {
	case "StatefulSet":
		gap = pods < 2
		parts = append(parts, "one after the other, each ends before its successor starts")
	case "DaemonSet":
		gap = amount(is.tree.sub("spec", "updateStrategy", "rollingUpdate")["maxSurge"], 1, 0, true) == 0
		parts[0] = "one pod on each node"
		parts = append(parts, "each ends before its successor starts")
	default:
		strategy := is.tree.sub("spec", "strategy")
		surge := amount(strategy.sub("rollingUpdate")["maxSurge"], pods, -25, true)
		lost := amount(strategy.sub("rollingUpdate")["maxUnavailable"], pods, -25, false)
		if surge == 0 && lost == 0 {
			lost = 1
		}
		switch {
		case strategy.text("type") == "Recreate":
			gap = true
			parts = append(parts, "Recreate: all end before their successors start")
		case lost >= pods:
			gap = true
			parts = append(parts, "each ends before its successor starts")
		case lost == 0:
			parts = append(parts, "each ends when its successor is ready")
		default:
			parts = append(parts, fmt.Sprintf("at least %d are ready at any time", max(min(before, pods-lost), 1)))
		}
		if claim := c.exclusive(is); claim != "" && !gap {
			parts = append(parts, "but PersistentVolumeClaim/"+claim+" is ReadWriteOnce: on another node the successor waits for the old pod")
		}
	}
	if !gap && !probed(is) {
		parts = append(parts, "but without a readiness probe a pod counts as ready as soon as it runs")
	}
	return strings.Join(append(parts, c.serviceOf(is, gap)...), "; "), gap
}

func (c *comparison) serviceOf(is *object, gap bool) []string {
	services := c.after.services(is)
	switch {
	case gap && len(services) > 0:
		return []string{"GAP: nothing answers for " + list(services) + " meanwhile"}
	case gap:
		return []string{"GAP: its work pauses meanwhile"}
	}
	said := []string{"no gap"}
	if c.after.replicas(is) > 1 && !slices.ContainsFunc(c.after.selecting(is), func(o *object) bool { return o.kind == "PodDisruptionBudget" }) {
		said = append(said, "no PodDisruptionBudget: a drain of nodes meanwhile may end all of them")
	}
	return said
}

// amount returns a number of pods: a number, or a percentage of the pods, rounded up or down. The default is negative if it is a percentage.
func amount(value any, pods, otherwise int, up bool) int {
	percent := -otherwise
	switch at := value.(type) {
	case float64:
		return int(at)
	case string:
		if _, err := fmt.Sscanf(at, "%d%%", &percent); err != nil {
			return 0
		}
	default:
		if otherwise >= 0 {
			return otherwise
		}
	}
	if up {
		return (pods*percent + 99) / 100
	}
	return pods * percent / 100
}

// replicas returns the number of pods of a workload; of one that is scaled, the fewest.
func (s side) replicas(of *object) int {
	for _, each := range s.objects {
		target := each.tree.sub("spec", "scaleTargetRef")
		if each.kind == "HorizontalPodAutoscaler" && target.text("kind") == of.kind && target.text("name") == of.bare && each.namespace == of.namespace {
			return amount(each.tree.sub("spec")["minReplicas"], 1, 1, true)
		}
	}
	return amount(of.tree.sub("spec")["replicas"], 1, 1, true)
}

// exclusive returns a claim of a workload that only one node can mount.
func (c *comparison) exclusive(of *object) string {
	for _, volume := range of.template().sub("spec").subs("volumes") {
		name := volume.sub("persistentVolumeClaim").text("claimName")
		if claim := c.after.named["PersistentVolumeClaim/"+name]; claim != nil && strings.Contains(scalar(claim.tree.sub("spec")["accessModes"]), "ReadWriteOnce") {
			return name
		}
	}
	return ""
}

func probed(of *object) bool {
	return slices.ContainsFunc(of.template().sub("spec").subs("containers"), func(container tree) bool { return container["readinessProbe"] != nil })
}

// reasons returns the changed fields of a pod template, as facts where they tell the change.
func (c *comparison) reasons(is *object, raw []Detail) []Detail {
	var changes []facts.Change
	for _, change := range c.changes {
		if change.Object != is.name {
			continue
		}
		from := rawPaths(change.Path)
		if slices.ContainsFunc(raw, func(d Detail) bool {
			return slices.ContainsFunc(from, func(prefix string) bool { return strings.HasPrefix(d.Path, prefix) })
		}) {
			changes = append(changes, change)
		}
	}
	found := c.details(is.kind, changes)
	if len(found) == 0 {
		return raw
	}
	for i := range found {
		found[i] = c.checksum(is, found[i])
	}
	return found
}

// rawPaths returns the beginnings of the fields of a pod template that a fact is about; none if it is not about the template.
func rawPaths(fact string) []string {
	for from, to := range map[string]string{"podLabel.": "metadata.labels.", "podAnnotation.": "metadata.annotations.", "pod.": "spec.", "volume(": "spec.volumes"} {
		if rest, ok := strings.CutPrefix(fact, from); ok {
			if from == "volume(" {
				rest = ""
			}
			return []string{to + rest}
		}
	}
	for from, to := range map[string]string{"c[": "spec.containers[", "init[": "spec.initContainers["} {
		rest, ok := strings.CutPrefix(fact, from)
		if !ok {
			continue
		}
		name, field, _ := strings.Cut(rest, "].")
		at := to + name + "]"
		kind, key, _ := strings.Cut(field, ".")
		paths := []string{at + "." + field}
		switch kind {
		case "env":
			paths = []string{at + ".env[" + key + "]"}
		case "mount":
			paths = []string{at + ".volumeMounts", "spec.volumes"}
		case "port":
			paths = []string{at + ".ports"}
		}
		if strings.HasPrefix(kind, "args") {
			paths = []string{at + ".args"}
		}
		return paths
	}
	return nil
}

// checksum says which ConfigMap or Secret changes an annotation that is a checksum.
func (c *comparison) checksum(is *object, d Detail) Detail {
	if !strings.HasPrefix(d.Path, "podAnnotation.") || !strings.Contains(d.Path, "checksum") {
		return d
	}
	var changed []string
	for _, each := range reads(is.template()) {
		if paths := c.changedKeys(each); len(paths) > 0 && !slices.Contains(changed, each.object) {
			changed = append(changed, each.object)
		}
	}
	if d.Before, d.After = nil, text("(checksum)"); len(changed) > 0 {
		d.After = text("changed: " + strings.Join(changed, ", "))
	} else if related := c.related(is); len(related) > 0 {
		d.After = text("probably of what changed in " + strings.Join(related, ", "))
	}
	return d
}

// related returns the changed ConfigMaps and Secrets of the same program, which it may read through the API.
func (c *comparison) related(is *object) []string {
	const partOf = "app.kubernetes.io/part-of"
	var found []string
	for _, each := range c.after.objects {
		same := each.meta("labels").text(partOf) == is.meta("labels").text(partOf) && is.meta("labels").text(partOf) != ""
		if same && (each.kind == "ConfigMap" || each.kind == "Secret") && c.before.named[each.name] != nil && len(c.changedKeys(configuration{object: each.name})) > 0 {
			found = append(found, each.name)
		}
	}
	return found
}
