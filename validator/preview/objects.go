package preview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/internal/facts"
)

// scalar returns a value as text: a scalar as it is, anything else as JSON.
func scalar(value any) string {
	switch value.(type) {
	case string, bool, float64:
		return fmt.Sprint(value)
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}

// objects lists what is added, removed and changed.
func (c *comparison) objects() Section {
	section := Section{Name: "objects", Title: "What changes"}
	if c.Causes != nil && c.Causes.Chart && len(c.changes) > 0 {
		section.Notes = []string{"Changes without a cause come from the chart."}
	}
	if len(c.idle) > 0 {
		section.Notes = append(section.Notes, "Values that differ and change nothing: "+list(c.idle)+".")
	}
	changed := map[string][]facts.Change{}
	for _, change := range c.changes {
		changed[change.Object] = append(changed[change.Object], change)
	}
	for _, name := range facts.Union(c.before.named, c.after.named) {
		was, is := c.before.named[name], c.after.named[name]
		owner, exists := c.live.exist[name]
		switch {
		case was == nil && exists && owner == "":
			section.Items = append(section.Items, Item{
				Change: "adopted", Component: is.component(), Object: name, Alarms: []string{"changes"},
				Message: "exists already, with the name of this release: Helm changes it instead of creating it",
			})
		case was == nil:
			section.Items = append(section.Items, Item{Change: "added", Component: is.component(), Object: name, Message: c.cause(changed[name]), Alarms: []string{"changes"}})
		case is == nil && was.kept():
			section.Items = append(section.Items, Item{
				Change: "left", Component: was.component(), Object: name, Alarms: []string{"changes"},
				Message: "leaves the release, but stays on the cluster: helm.sh/resource-policy is keep",
			})
		case is == nil:
			section.Items = append(section.Items, Item{
				Change: "removed", Component: was.component(), Object: name, Message: c.cause(changed[name]), Alarms: []string{"changes", "removals"},
			})
		case len(changed[name]) > 0:
			section.Items = append(section.Items, c.changed(is, changed[name]))
		}
	}
	slices.SortStableFunc(section.Items, func(a, b Item) int { return strings.Compare(a.Component, b.Component) })
	return section
}

func (c *comparison) changed(is *object, changes []facts.Change) Item {
	item := Item{Change: "changed", Component: is.component(), Object: is.name, Alarms: []string{"changes"}}
	item.Details = c.details(is.kind, changes)
	return item
}

// details returns changes of facts. Variables that no key sets, before and after, are one detail if there is no other.
func (c *comparison) details(kind string, changes []facts.Change) []Detail {
	var made []Detail
	unset := 0
	for _, change := range changes {
		if one := c.detail(kind, change); one.Before != nil || one.After != nil {
			made = append(made, one)
		} else {
			unset++
		}
	}
	if len(made) == 0 && unset > 0 {
		made = []Detail{{Path: plural(unset, "optional variable") + " without a value"}}
	}
	return made
}

// detail returns a change of a fact; the content of a Secret is never shown.
func (c *comparison) detail(kind string, change facts.Change) Detail {
	made := Detail{Path: change.Path, Before: set(change.Before), After: set(change.After), Cause: c.Causes.of(change)}
	if kind == "Secret" && strings.HasPrefix(change.Path, "data.") || kind == "CustomResourceDefinition" && change.Path == "spec.definition" {
		for _, value := range []**string{&made.Before, &made.After} {
			if *value != nil {
				*value = text("(not shown)")
			}
		}
	}
	return made
}

// set returns a value, nil if it is that of an optional variable that no key sets.
func set(value *string) *string {
	if value != nil && *value == facts.Unset {
		return nil
	}
	return value
}

// cause returns the sentence about the one value that causes a whole object.
func (c *comparison) cause(changes []facts.Change) string {
	if len(changes) == 0 {
		return ""
	}
	first := c.Causes.of(changes[0])
	for _, change := range changes {
		if c.Causes.of(change) != first {
			return ""
		}
	}
	if first == "" || first == byChart {
		return ""
	}
	return "by " + first
}
