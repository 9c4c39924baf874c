package selftest

import (
	"encoding/json"
	"fmt"
	"maps"
)

// Pod contains the settings that pods created by tests share with the test's own pod: scheduling, pull secrets, and security context. Its fields are
// those of Kubernetes, stored unchanged.
type Pod struct {
	Metadata map[string]any `json:"metadata"`
	Spec     map[string]any `json:"spec"`
	// Container has the image, but no name, command or arguments.
	Container map[string]any `json:"container"`
}

// ParsePod reads a Pod from JSON.
func ParsePod(text string) (Pod, error) {
	var pod Pod
	if err := json.Unmarshal([]byte(text), &pod); err != nil {
		return Pod{}, fmt.Errorf("what the pods of a test have in common: %w", err)
	}
	if pod.Metadata == nil {
		pod.Metadata = object{}
	}
	if image, _ := pod.Container["image"].(string); image == "" {
		return Pod{}, fmt.Errorf("what the pods of a test have in common: there is no container.image")
	}
	return pod, nil
}

// object is a map that is encoded as JSON.
type object = map[string]any

// container returns a container that runs this program.
func (p Pod) container(name string, more object) object {
	merged := maps.Clone(p.Container)
	maps.Copy(merged, object{"name": name})
	maps.Copy(merged, more)
	return merged
}

// permissions returns the part of a container that also applies to images of other programs.
func (p Pod) permissions() object {
	return only(p.Container, "securityContext")
}

// labeled returns the metadata of a pod with an additional label.
func (p Pod) labeled(key, value string) object {
	labels := object{}
	if given, ok := p.Metadata["labels"].(map[string]any); ok {
		maps.Copy(labels, given)
	}
	labels[key] = value
	return joined(p.Metadata, object{"labels": labels})
}

// only returns the fields with these names that exist.
func only(fields object, names ...string) object {
	picked := object{}
	for _, name := range names {
		if value, ok := fields[name]; ok {
			picked[name] = value
		}
	}
	return picked
}

// joined returns the fields of several maps; later maps take precedence.
func joined(parts ...object) object {
	all := object{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// custom returns an object of one of Argo's kinds.
func custom(kind, name string, labels, spec object) object {
	metadata := object{"name": name}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	return object{"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}
}
