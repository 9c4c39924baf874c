package preview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/internal/facts"

	"sigs.k8s.io/yaml"
)

// definitions lists what custom resources lose by changes of their definitions.
func (c *comparison) definitions(ctx context.Context) []Item {
	var items []Item
	for _, was := range c.before.objects {
		if was.kind != "CustomResourceDefinition" {
			continue
		}
		is := c.after.named[was.name]
		switch {
		case is == nil && !was.kept():
			items = append(items, broken("deleted", was.component(), was.name, "The definition is deleted, and with it every object of its kind on the cluster; `helm rollback` brings back the definition only"))
		case is != nil && was.spec != is.spec:
			items = append(items, c.definition(ctx, was, is)...)
		}
	}
	return items
}

func (c *comparison) definition(ctx context.Context, was, is *object) []Item {
	before, after := specOf(was), specOf(is)
	if before == nil || after == nil {
		return nil
	}
	var items []Item
	for _, path := range [][]string{{"scope"}, {"group"}, {"names", "kind"}, {"names", "plural"}} {
		last := len(path) - 1
		if old, new := before.sub(path[:last]...).text(path[last]), after.sub(path[:last]...).text(path[last]); old != new {
			items = append(items, broken("refused", is.component(), is.name, "The API server refuses another %s: %s instead of %s", strings.Join(path, "."), new, old))
		}
	}
	now := map[string]tree{}
	for _, version := range after.subs("versions") {
		now[version.text("name")] = version
	}
	for _, version := range before.subs("versions") {
		name := version.text("name")
		next, there := now[name]
		switch {
		case version["served"] == false:
		case !there || next["served"] == false:
			items = append(items, broken("not served", is.component(), is.name, "Version %s is no longer served: programs and manifests that use it fail, and the API server refuses the definition if objects are stored in it", name))
		default:
			dropped := droppedFields("", version.sub("schema", "openAPIV3Schema"), next.sub("schema", "openAPIV3Schema"))
			if len(dropped) > 0 {
				items = append(items, c.fieldsInUse(ctx, is, after, name, dropped)...)
			}
		}
	}
	return items
}

func specOf(of *object) tree {
	var content struct{ Spec tree }
	if err := yaml.Unmarshal([]byte(of.spec), &content); err != nil {
		return nil
	}
	return content.Spec
}

// droppedFields returns the fields that only the schema before has, as in spec.jobs[].name.
func droppedFields(path string, before, after tree) []string {
	if after["x-kubernetes-preserve-unknown-fields"] == true {
		return nil
	}
	var dropped []string
	for _, key := range facts.Union(before.sub("properties"), nil) {
		at := strings.TrimPrefix(path+"."+key, ".")
		below, there := after.sub("properties")[key].(map[string]any)
		if there {
			dropped = append(dropped, droppedFields(at, before.sub("properties", key), below)...)
		} else if after.sub("additionalProperties") == nil {
			dropped = append(dropped, at)
		}
	}
	if items := before.sub("items"); items != nil && after["items"] != nil {
		dropped = append(dropped, droppedFields(path+"[]", items, after.sub("items"))...)
	}
	if each := before.sub("additionalProperties"); each != nil && after["additionalProperties"] != nil {
		dropped = append(dropped, droppedFields(path+"{}", each, after.sub("additionalProperties"))...)
	}
	return dropped
}

// fieldsInUse reports dropped fields: those that live objects use, or all of them if that is not known.
func (c *comparison) fieldsInUse(ctx context.Context, is *object, spec tree, version string, dropped []string) []Item {
	message := "Version %s loses %s: %s. The API server drops them from objects"
	if c.live.cluster == nil {
		return []Item{broken("fields lost", is.component(), is.name, message+"; whether live objects have them is not known without a cluster", version, plural(len(dropped), "field"), list(dropped))}
	}
	var found struct{ Items []map[string]any }
	err := c.live.cluster.Get(ctx, fmt.Sprintf("/apis/%s/%s/%s", spec.text("group"), version, spec.sub("names").text("plural")), &found)
	if err != nil {
		c.live.doubt("Whether objects use what "+is.name+" loses", err)
		return []Item{broken("fields lost", is.component(), is.name, message, version, plural(len(dropped), "field"), list(dropped))}
	}
	var items []Item
	for _, path := range dropped {
		var using []string
		for _, each := range found.Items {
			if uses(each, strings.NewReplacer("[]", ".[]", "{}", ".{}").Replace(path)) {
				metadata := tree(each).sub("metadata")
				using = append(using, strings.TrimPrefix(metadata.text("namespace")+"/"+metadata.text("name"), "/"))
			}
		}
		if len(using) > 0 {
			items = append(items, broken("fields lost", is.component(), is.name, "Version %s loses the field %s, which %s has: %s", version, path, plural(len(using), "object"), list(using)))
		}
	}
	return items
}

// uses reports whether an object has a field.
func uses(node any, path string) bool {
	key, rest, more := strings.Cut(path, ".")
	switch at := node.(type) {
	case map[string]any:
		if key == "{}" {
			return slices.ContainsFunc(facts.Union(at, nil), func(each string) bool { return uses(at[each], rest) })
		}
		value, has := at[key]
		return has && (!more || uses(value, rest))
	case []any:
		return key == "[]" && slices.ContainsFunc(at, func(item any) bool { return !more || uses(item, rest) })
	}
	return false
}
