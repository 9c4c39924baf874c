package preview

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/facts"
)

// tree is a JSON object. A missing field, or one of another type, is read as empty.
type tree map[string]any

func (t tree) sub(keys ...string) tree {
	for _, key := range keys {
		t, _ = t[key].(map[string]any)
	}
	return t
}

func (t tree) text(key string) string { value, _ := t[key].(string); return value }

func (t tree) subs(key string) []tree {
	var all []tree
	items, _ := t[key].([]any)
	for _, item := range items {
		if each, ok := item.(map[string]any); ok {
			all = append(all, each)
		}
	}
	return all
}

// object is a rendered object.
type object struct {
	name                  string // Kind/name, as in facts
	kind, namespace, bare string
	tree                  tree
	spec                  string // of a CustomResourceDefinition, which is long, as text
}

func (o *object) meta(field string) tree { return o.tree.sub("metadata", field) }

// component returns the group of an object in reports: a label, but not the name of the object itself, as definitions have it.
func (o *object) component() string {
	for _, label := range []string{"app.kubernetes.io/name", "app.kubernetes.io/part-of"} {
		if name := o.meta("labels").text(label); name != "" && (name != o.bare || o.kind != "CustomResourceDefinition") {
			return name
		}
	}
	return "others"
}

// kept reports whether Helm leaves an object on the cluster when it is removed from the release.
func (o *object) kept() bool {
	return strings.EqualFold(strings.TrimSpace(o.meta("annotations").text("helm.sh/resource-policy")), "keep")
}

// template returns the pod template of a workload, nil for other objects.
func (o *object) template() tree {
	switch o.kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job":
		return o.tree.sub("spec", "template")
	case "CronJob":
		return o.tree.sub("spec", "jobTemplate", "spec", "template")
	}
	return nil
}

// side is a release, parsed.
type side struct {
	objects []*object
	named   map[string]*object
	facts   facts.Facts
	hooks   []*release.Hook
}

func read(of *release.Release, namespace string) (side, error) {
	made := side{named: map[string]*object{}, hooks: of.Hooks}
	objects, err := parse(of.Manifest, namespace)
	if err != nil {
		return made, err
	}
	slices.SortStableFunc(objects, func(a, b *object) int { return strings.Compare(a.name+"@"+a.namespace, b.name+"@"+b.namespace) })
	made.objects = objects
	trees := make([]map[string]any, len(objects))
	for i, each := range objects {
		if made.named[each.name] != nil {
			each.name += "@" + each.tree.sub("metadata").text("namespace")
		}
		made.named[each.name] = each
		trees[i] = each.tree
	}
	made.facts = meant(facts.Of(trees))
	return made, nil
}

// parse reads the documents of a manifest. Defaults are removed, and the namespace of the release, which is that of objects without one.
func parse(manifest, namespace string) ([]*object, error) {
	var all []*object
	for document := range strings.SplitSeq("\n"+manifest, "\n---") {
		head, spec := document, ""
		if at := strings.Index(document, "\nspec:\n"); at > 0 && strings.Contains(document[:at], "\nkind: CustomResourceDefinition\n") {
			head, spec = document[:at], document[at+1:]
		}
		var content map[string]any
		if err := yaml.Unmarshal([]byte(head+"\n"), &content); err != nil { // the newline belongs to a text at its end
			return nil, fmt.Errorf("%s is not valid YAML", source(document))
		}
		for _, each := range flat(content) {
			made := &object{tree: each, kind: each.text("kind"), bare: each.sub("metadata").text("name"), spec: spec}
			if metadata := each.sub("metadata"); metadata.text("namespace") == namespace {
				delete(metadata, "namespace")
			}
			if made.namespace = each.sub("metadata").text("namespace"); made.namespace == "" {
				made.namespace = namespace
			}
			if spec != "" {
				each["spec"] = map[string]any{"definition": fmt.Sprintf("%x", sha256.Sum256([]byte(spec)))}
			}
			for _, subject := range each.subs("subjects") {
				drop(subject, "namespace", namespace)
			}
			made.name = made.kind + "/" + made.bare
			normalize(made)
			all = append(all, made)
		}
	}
	return all, nil
}

// flat returns an object, or those of a list.
func flat(content tree) []tree {
	if strings.HasSuffix(content.text("kind"), "List") && content["items"] != nil {
		return content.subs("items")
	}
	if content.text("kind") == "" {
		return nil
	}
	return []tree{content}
}

// source returns the template of a document, which Helm writes above it.
func source(document string) string {
	for line := range strings.Lines(document) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "# Source: "); ok {
			return "what " + name + " renders"
		}
	}
	return "a rendered document"
}

// stamps are labels that name the version of a chart or a program, which change with every version and mean nothing else.
var stamps = []string{"helm.sh/chart", "chart", "heritage", "app.kubernetes.io/version", "app.kubernetes.io/managed-by"}

// meant returns the facts without labels that only name a version.
func meant(of facts.Facts) facts.Facts {
	for name, paths := range of {
		rest := maps.Clone(paths)
		for _, label := range stamps {
			delete(rest, "label."+label)
		}
		of[name] = rest
	}
	return of
}

// unstructured returns the objects as the evaluator of NetworkPolicies reads them.
func (s side) unstructured() []unstructured.Unstructured {
	all := make([]unstructured.Unstructured, len(s.objects))
	for i, each := range s.objects {
		all[i] = unstructured.Unstructured{Object: each.tree}
	}
	return all
}
