package postrender

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/locate"
)

// Change is one image to replace in a rendered document.
type Change struct {
	Location locate.Location
	Document chartrender.Document
	Target   string
}

type component struct {
	APIVersion string  `yaml:"apiVersion"`
	Kind       string  `yaml:"kind"`
	Patches    []patch `yaml:"patches"`
}

type patch struct {
	Target target `yaml:"target"`
	Patch  string `yaml:"patch"`
}

type target struct {
	Group     string `yaml:"group,omitempty"`
	Version   string `yaml:"version"`
	Kind      string `yaml:"kind"`
	Name      string `yaml:"name"`
	Namespace string `yaml:"namespace,omitempty"`
}

// operation is one step of a JSON patch.
type operation struct {
	Op    string `yaml:"op"`
	Path  string `yaml:"path"`
	Value string `yaml:"value"`
}

// Component returns a kustomize component that applies the changes, nil if there
// is nothing to change.
func Component(changes []Change) ([]byte, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	type place struct {
		object target
		path   string
	}
	texts := map[place]string{}
	var order []place
	for _, change := range changes {
		if change.Location.Field.Composite != nil {
			parts := partsOf(change.Location, change.Target)
			for _, path := range slices.Sorted(maps.Keys(parts)) {
				at := place{object: objectOf(change.Location.Field.Object), path: pointer(path)}
				if _, ok := texts[at]; !ok {
					order = append(order, at)
				}
				texts[at] = parts[path]
			}
			continue
		}
		top, _, _ := strings.Cut(change.Location.Field.Path, " > ")
		at := place{object: objectOf(change.Location.Field.Object), path: pointer(top)}
		if _, ok := texts[at]; !ok {
			order = append(order, at)
			texts[at] = textAt(change.Document, top)
		}
		texts[at] = replaceIn(texts[at], change.Location.Field.Encoded(), map[string]string{change.Location.Text(): change.Target})
	}
	sort.SliceStable(order, func(a, b int) bool {
		return fmt.Sprint(order[a]) < fmt.Sprint(order[b])
	})
	if len(order) == 0 {
		return nil, nil
	}
	result := component{APIVersion: "kustomize.config.k8s.io/v1alpha1", Kind: "Component"}
	for i := 0; i < len(order); {
		var steps []operation
		object := order[i].object
		for ; i < len(order) && order[i].object == object; i++ {
			steps = append(steps, operation{Op: "replace", Path: order[i].path, Value: texts[order[i]]})
		}
		text, err := emit.YAML(steps)
		if err != nil {
			return nil, err
		}
		result.Patches = append(result.Patches, patch{Target: object, Patch: string(text)})
	}
	return emit.YAML(result)
}

func objectOf(object locate.Object) target {
	group, version, found := strings.Cut(object.APIVersion, "/")
	if !found {
		group, version = "", object.APIVersion
	}
	return target{Group: group, Version: version, Kind: object.Kind, Name: object.Name, Namespace: object.Namespace}
}

// pointer converts a path to a JSON pointer.
func pointer(path string) string {
	const dot = "\x00"
	var out strings.Builder
	for _, part := range strings.Split(strings.ReplaceAll(path, `\.`, dot), ".") {
		key, indexes, _ := strings.Cut(part, "[")
		out.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1", dot, ".").Replace(key))
		if indexes != "" {
			for _, index := range strings.Split(strings.TrimSuffix(indexes, "]"), "][") {
				out.WriteString("/" + index)
			}
		}
	}
	return out.String()
}
