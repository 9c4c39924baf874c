package preview

import (
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/internal/facts"

	"helm.sh/helm/v3/pkg/release"
)

// hooks lists what Helm runs before and after the upgrade, in its order.
func (c *comparison) hooks() Section {
	section := Section{Name: "hooks", Title: "What runs before and after"}
	old := map[string]string{}
	for _, hook := range c.before.hooks {
		old[hook.Kind+"/"+hook.Name] = hook.Manifest
	}
	for _, event := range []release.HookEvent{release.HookPreUpgrade, release.HookPostUpgrade} {
		hooks := slices.DeleteFunc(slices.Clone(c.after.hooks), func(hook *release.Hook) bool { return !slices.Contains(hook.Events, event) })
		slices.SortStableFunc(hooks, func(a, b *release.Hook) int {
			if a.Weight != b.Weight {
				return a.Weight - b.Weight
			}
			return strings.Compare(a.Name, b.Name)
		})
		for _, hook := range hooks {
			name := hook.Kind + "/" + hook.Name
			word := "runs"
			if hook.Kind != "Job" && hook.Kind != "Pod" {
				word = "is created"
			}
			message := fmt.Sprintf("%s at weight %d; %s", word, hook.Weight, deletion(hook))
			if manifest, known := old[name]; !known {
				message += "; new"
			} else if manifest != hook.Manifest {
				message += "; changed"
			}
			section.Items = append(section.Items, Item{Change: string(event), Object: name, Message: message})
		}
	}
	return section
}

// deletion says when Helm deletes the object of a hook. Without a policy it is before-hook-creation.
func deletion(hook *release.Hook) string {
	when := map[release.HookDeletePolicy]string{
		release.HookSucceeded: "when it succeeds", release.HookFailed: "when it fails", release.HookBeforeHookCreation: "before it is created again",
	}
	var times []string
	for _, policy := range hook.DeletePolicies {
		times = append(times, when[policy])
	}
	if len(times) == 0 {
		times = []string{when[release.HookBeforeHookCreation]}
	}
	return "deleted " + list(times)
}

// back lists what `helm rollback` undoes, and what stays.
func (c *comparison) back() Section {
	section := Section{Name: "back", Title: "What helm rollback undoes"}
	if !c.Before.Revision {
		section.Notes = []string{"Before is not a release on a cluster. If it was one, this is what `helm rollback` to it would do."}
	}
	count := map[string]int{}
	var kept []string
	for _, item := range c.objects().Items {
		change := item.Change
		if change == "adopted" {
			change = "added"
		}
		count[change]++
		if is := c.after.named[item.Object]; change == "added" && is.kept() {
			kept = append(kept, item.Object)
		}
	}
	add := func(change, object, format string, args ...any) {
		section.Items = append(section.Items, Item{Change: change, Object: object, Message: fmt.Sprintf(format, args...)})
	}
	if total := count["changed"] + count["added"] + count["removed"]; total > 0 {
		add("undone", "objects", "%s changed back, %d deleted, %d created again; the pods above restart again", plural(count["changed"], "object"), count["added"]-len(kept), count["removed"])
	}
	if len(kept) > 0 {
		add("stays", "objects", "helm.sh/resource-policy is keep: %s", list(kept))
	}
	for _, item := range c.immutable() {
		add("refused", item.Object, "a rollback is refused, too: the same fields would change")
	}
	for _, was := range c.before.objects {
		if is := c.after.named[was.name]; is == nil && !was.kept() && slices.Contains([]string{"PersistentVolumeClaim", "CustomResourceDefinition", "Namespace", "Secret"}, was.kind) {
			lost := map[string]string{"PersistentVolumeClaim": "its data", "CustomResourceDefinition": "the objects of its kind", "Namespace": "what was in it", "Secret": "keys that programs added to it"}[was.kind]
			add("stays lost", was.name, "comes back without %s", lost)
		}
	}
	for _, is := range c.after.objects {
		if is.kind == "StatefulSet" && c.before.named[is.name] == nil && len(is.tree.sub("spec").subs("volumeClaimTemplates")) > 0 {
			add("stays", is.name, "its claims stay after it is deleted")
		}
	}
	for _, hook := range c.after.hooks {
		if hook.Kind == "Job" && (slices.Contains(hook.Events, release.HookPreUpgrade) || slices.Contains(hook.Events, release.HookPostUpgrade)) {
			add("stays", "Job/"+hook.Name, "what this hook did is not undone")
		}
	}
	if before, after := folder(c.Before.Release), folder(c.After.Release); len(after) > 0 {
		var changed []string
		for _, name := range facts.Union(before, after) {
			if before[name] != after[name] {
				changed = append(changed, name)
			}
		}
		add("not touched", "crds/", "Helm neither upgrades nor rolls back the %d definitions of the chart's folder crds; different in this version: %s", len(after), orNone(changed))
	}
	return section
}

// folder returns the definitions that Helm only installs, by name.
func folder(of *release.Release) map[string]string {
	found := map[string]string{}
	if of.Chart == nil {
		return found
	}
	for _, definition := range of.Chart.CRDObjects() {
		found[definition.Name] = string(definition.File.Data)
	}
	return found
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return list(words)
}
