// Package facts flattens rendered Kubernetes objects to facts, so that two renders can be compared one fact at a time, however their templates are
// written. A fact is an object, a path and a value.
//
// Paths of pods are short: c[NAME].env.X is a variable of a container as it ends up (=text, a key of a ConfigMap is looked up; "secret NAME/KEY",
// followed by ? if it is optional; "(unset)" for an optional key that does not exist), init[NAME] an init container, c[NAME].mount./path the volume
// at that path, pod. and spec. fields of the pod and of the workload. data.KEY.path is a field of a YAML text in a ConfigMap. The object
// "RIGHTS namespace/account" has a fact for each verb of an account, whichever roles grant it. The specification of a CustomResourceDefinition is one
// fact, its checksum.
package facts

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// Facts are the facts of a release: object, path, value.
type Facts map[string]map[string]string

// Add adds one fact.
func (f Facts) Add(object, path, value string) {
	if f[object] == nil {
		f[object] = map[string]string{}
	}
	f[object][path] = value
}

// Reader reads rendered manifests. It parses each text of a document once, and is safe for concurrent use.
type Reader struct{ known sync.Map }

// Read returns the facts of manifests, each a stream of YAML documents.
func (r *Reader) Read(manifests ...string) (Facts, error) {
	var documents []*document
	for _, manifest := range manifests {
		for text := range strings.SplitSeq("\n"+manifest, "\n---") {
			if strings.TrimSpace(text) == "" {
				continue
			}
			found, err := r.parse(text)
			if err != nil {
				return nil, err
			}
			documents = append(documents, found...)
		}
	}
	return join(documents), nil
}

// parse returns the objects of a document from the cache: one, or those of a list.
func (r *Reader) parse(text string) ([]*document, error) {
	if known, ok := r.known.Load(text); ok {
		return known.([]*document), nil
	}
	head, rest := text, ""
	if at := strings.Index(text, "\nspec:\n"); at > 0 && strings.Contains(text[:at], "\nkind: CustomResourceDefinition\n") {
		head, rest = text[:at], text[at:] // long, and compared as a whole
	}
	var object map[string]any
	if err := yaml.Unmarshal([]byte(head), &object); err != nil {
		return nil, fmt.Errorf("a rendered document is not valid YAML: %w:\n%s", err, head)
	}
	var found []*document
	for _, each := range items(object) {
		found = append(found, flatten(each))
	}
	if rest != "" {
		found[0].facts["spec"] = fmt.Sprintf("%x", sha256.Sum256([]byte(rest)))
	}
	r.known.Store(text, found)
	return found, nil
}

func items(object map[string]any) []map[string]any {
	if len(object) == 0 {
		return nil
	}
	list, isList := object["items"].([]any)
	if kind, _ := object["kind"].(string); !isList || !strings.HasSuffix(kind, "List") {
		return []map[string]any{object}
	}
	var all []map[string]any
	for _, item := range list {
		if each, ok := item.(map[string]any); ok {
			all = append(all, each)
		}
	}
	return all
}

// Of returns the facts of objects.
func Of(objects []map[string]any) Facts {
	documents := make([]*document, len(objects))
	for i, object := range objects {
		documents[i] = flatten(object)
	}
	return join(documents)
}

// join returns the facts of documents, with those that depend on several of them.
func join(documents []*document) Facts {
	all, configs := Facts{}, map[string]map[string]string{}
	for _, each := range documents {
		name := each.name()
		if _, taken := all[name]; taken {
			name += "@" + each.namespace
		}
		all[name] = each.facts
		if each.kind == "ConfigMap" {
			configs[each.object] = each.data
		}
	}
	for object, paths := range all {
		var resolved map[string]string
		for path, value := range paths {
			if reference, ok := strings.CutPrefix(value, configMap); ok && strings.Contains(path, "].env.") {
				if resolved == nil {
					resolved = maps.Clone(paths)
				}
				resolved[path] = lookUp(configs, reference, value)
			}
		}
		if resolved != nil {
			all[object] = resolved
		}
	}
	addRights(all, documents)
	return all
}

// Unset is the value of a variable from an optional key that does not exist.
const Unset = "(unset)"

// configMap is the prefix of a variable's value from a ConfigMap, NAME/KEY.
const configMap = "cm "

func lookUp(configs map[string]map[string]string, reference, unknown string) string {
	required, optional := strings.CutSuffix(reference, "?")
	name, key, _ := strings.Cut(required, "/")
	data, rendered := configs[name]
	text, set := data[key]
	switch {
	case set:
		return "=" + text
	case rendered && optional:
		return Unset
	}
	return unknown
}

// Change is a fact that two releases do not share. A value that a release does not have is nil.
type Change struct {
	Object, Path  string
	Before, After *string
}

// Diff returns the facts that differ, in order.
func Diff(before, after Facts) []Change {
	var all []Change
	for _, object := range Union(before, after) {
		for _, path := range Union(before[object], after[object]) {
			was, had := before[object][path]
			is, has := after[object][path]
			if had != has || was != is {
				change := Change{Object: object, Path: path}
				if had {
					change.Before = &was
				}
				if has {
					change.After = &is
				}
				all = append(all, change)
			}
		}
	}
	return all
}

// Union returns the keys of two maps, in order.
func Union[V any](a, b map[string]V) []string {
	keys := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, both := a[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// String returns the change as a line: object, path, both values.
func (c Change) String() string {
	return fmt.Sprintf("%s %s: %s -> %s", c.Object, c.Path, show(c.Before), show(c.After))
}

func show(value *string) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprintf("%q", *value)
}
