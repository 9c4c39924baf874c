package preview

import (
	"fmt"
	"slices"

	"gitops-runtime/internal/facts"

	"helm.sh/helm/v3/pkg/release"
	"sigs.k8s.io/yaml"
)

// Part is an object of a release. Defaults of Kubernetes are removed from it.
type Part struct {
	APIVersion, Kind, Name, Namespace string
	// Tree is the object; of a CustomResourceDefinition it has no spec.
	Tree map[string]any
	// Spec is the spec of a CustomResourceDefinition, as YAML.
	Spec string
}

// Parts returns the objects of a release, those of hooks excluded.
func Parts(of *release.Release) ([]Part, error) {
	objects, err := parse(of.Manifest, of.Namespace)
	if err != nil {
		return nil, err
	}
	parts := make([]Part, len(objects))
	for i, each := range objects {
		parts[i] = Part{each.tree.text("apiVersion"), each.kind, each.bare, each.namespace, each.tree, each.spec}
	}
	return parts, nil
}

// Drift returns the fields of a live object that differ from those of the release. Fields that only the live object has are those of the API server, of
// controllers and of users, and do not count; of a Secret only the keys count.
func (p Part) Drift(live map[string]any) []Detail {
	now := &object{tree: live, kind: p.Kind}
	normalize(now)
	var found []Detail
	for _, field := range facts.Union(p.Tree, nil) {
		switch field {
		case "apiVersion", "kind", "status":
		case "metadata":
			found = append(found, lacking("metadata.labels", tree(p.Tree).sub("metadata")["labels"], now.tree.sub("metadata")["labels"])...)
		case "data", "stringData":
			if p.Kind == "Secret" {
				for _, key := range facts.Union(tree(p.Tree).sub(field), nil) {
					if _, has := now.tree.sub("data")[key]; !has {
						found = append(found, Detail{Path: "data." + key, Before: text(hiddenText)})
					}
				}
				continue
			}
			found = append(found, lacking(field, p.Tree[field], now.tree[field])...)
		case "rules":
			if p.Tree["aggregationRule"] == nil {
				found = append(found, lacking(field, p.Tree[field], now.tree[field])...)
			}
		default:
			found = append(found, lacking(field, p.Tree[field], now.tree[field])...)
		}
	}
	return found
}

// lacking returns the fields of want that live does not have in the same way.
func lacking(path string, want, live any) []Detail {
	switch at := want.(type) {
	case map[string]any:
		is, _ := live.(map[string]any)
		var found []Detail
		for _, key := range facts.Union(at, nil) {
			found = append(found, lacking(path+"."+key, at[key], is[key])...)
		}
		return found
	case []any:
		is, _ := live.([]any)
		if named, fine := byName(at); fine && len(named) > 0 {
			now, _ := byName(is)
			return lacking(path, named, now)
		}
		if len(at) != len(is) {
			return []Detail{detail(path, want, live)}
		}
		var found []Detail
		for i := range at {
			found = append(found, lacking(fmt.Sprintf("%s[%d]", path, i), at[i], is[i])...)
		}
		return found
	}
	if live == nil && (want == nil || want == "" || want == false || want == 0.0) || fmt.Sprint(want) == fmt.Sprint(live) || fmt.Sprint(quantity(want)) == fmt.Sprint(quantity(live)) {
		return nil
	}
	return []Detail{detail(path, want, live)}
}

// Aged is how a live definition is behind that of a chart.
type Aged struct {
	// Versions are those that it does not serve.
	Versions []string
	// Fields are those that it does not have, as in spec.jobs[].name.
	Fields []string
}

// Behind compares the spec of a live CustomResourceDefinition with that of a chart, as YAML.
func Behind(spec string, live map[string]any) (Aged, error) {
	var want struct{ Spec tree }
	if err := yaml.Unmarshal([]byte(spec), &want); err != nil {
		return Aged{}, fmt.Errorf("the definition is not valid YAML: %w", err)
	}
	served := map[string]tree{}
	for _, version := range tree(live).sub("spec").subs("versions") {
		if version["served"] != false {
			served[version.text("name")] = version
		}
	}
	var aged Aged
	for _, version := range want.Spec.subs("versions") {
		is, has := served[version.text("name")]
		switch {
		case version["served"] == false:
		case !has:
			aged.Versions = append(aged.Versions, version.text("name"))
		default:
			for _, field := range droppedFields("", version.sub("schema", "openAPIV3Schema"), is.sub("schema", "openAPIV3Schema")) {
				if !slices.Contains(aged.Fields, field) {
					aged.Fields = append(aged.Fields, field)
				}
			}
		}
	}
	return aged, nil
}
