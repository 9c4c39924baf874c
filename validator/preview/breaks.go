package preview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/api/resource"

	"gitops-runtime/internal/facts"
)

// breaks lists what the API server or Helm refuses, and what is lost.
func (c *comparison) breaks(ctx context.Context) Section {
	section := Section{Name: "breaks", Title: "What is refused, or lost"}
	section.Items = append(section.Items, c.immutable()...)
	section.Items = append(section.Items, c.volumes()...)
	section.Items = append(section.Items, c.versions()...)
	section.Items = append(section.Items, c.definitions(ctx)...)
	section.Items = append(section.Items, c.selectors()...)
	section.Items = append(section.Items, c.live.check(ctx, c)...)
	if slices.ContainsFunc(section.Items, func(item Item) bool { return item.Change == "refused" }) {
		section.Notes = []string{"Helm stops at the first refusal, and leaves what it has changed by then. Kinds that the cluster does not serve, and objects of others, stop it before it changes anything."}
	}
	for i := range section.Items {
		section.Items[i].Alarms = append(section.Items[i].Alarms, "breaks")
	}
	section.Unknown, section.Failed = c.live.unknown, c.live.failed
	return section
}

func broken(change, component, object, format string, args ...any) Item {
	return Item{Change: change, Component: component, Object: object, Message: fmt.Sprintf(format, args...)}
}

// refused returns the changes of fields that the API server refuses to change.
func (c *comparison) refused() []facts.Change {
	refused := slices.DeleteFunc(facts.Refused(c.before.facts, c.after.facts), func(change facts.Change) bool {
		// https://github.com/kubernetes/kubernetes/blob/v1.34.1/pkg/apis/apps/validation/validation.go allows it; which version began to is not known
		return strings.HasPrefix(change.Object, "StatefulSet/") && change.Path == "spec.revisionHistoryLimit" && c.atLeast(34)
	})
	for _, change := range c.changes {
		kind, _, _ := strings.Cut(change.Object, "/")
		fixed := c.before.facts[change.Object]["immutable"] == "true" && c.after.facts[change.Object] != nil
		if fixed && (kind == "ConfigMap" || kind == "Secret") && (strings.HasPrefix(change.Path, "data.") || change.Path == "immutable") {
			refused = append(refused, change)
		}
	}
	return refused
}

// atLeast reports whether the cluster's Kubernetes is 1.MINOR or later; it is not if its version is not known.
func (c *comparison) atLeast(minor uint64) bool {
	version, err := semver.NewVersion(c.Kubernetes)
	return err == nil && (version.Major() > 1 || version.Minor() >= minor)
}

// immutable lists the objects with such changes.
func (c *comparison) immutable() []Item {
	var items []Item
	for _, change := range c.refused() {
		is := c.after.named[change.Object]
		if is == nil { // an account
			continue
		}
		if last := len(items) - 1; last >= 0 && items[last].Object == change.Object {
			items[last].Details = append(items[last].Details, c.detail(is.kind, change))
			continue
		}
		item := broken("refused", is.component(), change.Object, "The API server refuses to change this, and the upgrade fails: delete the object first (a workload with --cascade=orphan, which keeps its pods), or keep the field")
		item.Details = []Detail{c.detail(is.kind, change)}
		items = append(items, item)
	}
	return items
}

// volumes lists claims that are deleted with their data, and those that cannot change.
func (c *comparison) volumes() []Item {
	var items []Item
	for _, was := range c.before.objects {
		is := c.after.named[was.name]
		switch {
		case was.kind == "PersistentVolumeClaim" && is == nil && !was.kept():
			items = append(items, broken("deleted", was.component(), was.name, "The claim is deleted, and with it the data, unless its volume is retained; `helm rollback` does not bring them back"))
		case was.kind == "PersistentVolumeClaim" && is != nil:
			before, after := storage(was), storage(is)
			if after.Cmp(before) < 0 {
				items = append(items, broken("refused", is.component(), is.name, "A claim cannot shrink, here from %s to %s", before.String(), after.String()))
			}
		case was.kind == "StatefulSet" && is == nil && len(was.tree.sub("spec").subs("volumeClaimTemplates")) > 0 && !was.kept():
			word := "stay, and keep their data and cost"
			if was.tree.sub("spec", "persistentVolumeClaimRetentionPolicy").text("whenDeleted") == "Delete" {
				word = "are deleted with it"
			}
			items = append(items, broken("deleted", was.component(), was.name, "The StatefulSet is deleted; its claims %s", word))
		case was.kind == "Namespace" && is == nil && !was.kept():
			items = append(items, broken("deleted", was.component(), was.name, "The namespace is deleted with everything in it"))
		}
	}
	return items
}

func storage(of *object) resource.Quantity {
	parsed, err := resource.ParseQuantity(of.tree.sub("spec", "resources", "requests").text("storage"))
	if err != nil {
		return resource.Quantity{}
	}
	return parsed
}

// selectors lists Services, budgets and policies that select pods now and none, or others, after the upgrade.
func (c *comparison) selectors() []Item {
	var items []Item
	for _, is := range c.after.objects {
		was := c.before.named[is.name]
		if was == nil || is.selector() == nil && was.selector() == nil {
			continue
		}
		before, after := c.before.selected(was), c.after.selected(is)
		if lost := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return slices.Contains(after, name) }); len(lost) > 0 {
			items = append(items, c.unselected(is, lost, after))
		}
		if is.kind != "Service" || len(before) == 0 {
			continue
		}
		// During a rolling update the pods of before serve, which the new selector has to match.
		for _, name := range after {
			if old := c.before.named[name]; old != nil && was.selects(old) && !is.selects(old) {
				items = append(items, broken("unselected", is.component(), is.name, "GAP: its new selector does not match the pods of %s that run now; it has no endpoints until the new ones are ready", name))
			}
		}
	}
	return items
}

func (c *comparison) unselected(is *object, lost, after []string) Item {
	gone := true
	for _, name := range lost {
		gone = gone && c.after.named[name] == nil
	}
	why := "no longer selects "
	if gone {
		why = "selected only pods that the upgrade removes: "
	}
	message := fmt.Sprintf("It %s%s", why, list(lost))
	if len(after) == 0 {
		message += "; it selects nothing of the release then"
	} else {
		message += "; it selects " + list(after) + " then"
	}
	return broken("unselected", is.component(), is.name, "%s", message)
}
