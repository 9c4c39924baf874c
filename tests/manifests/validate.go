package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"sigs.k8s.io/yaml"
)

// Problem is an error in a rendered object.
type Problem struct {
	Source  string // template that rendered it, as Helm's comment names it
	Object  string // "Kind namespace/name"
	Path    string // JSON pointer of the field inside the object; empty for the object itself
	Message string
}

// String returns the problem as one line.
func (p Problem) String() string {
	place := strings.TrimSpace(p.Object + " " + p.Path)
	var parts []string
	for _, part := range []string{p.Source, place, p.Message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

var (
	separator = regexp.MustCompile(`(?m)^---\s*$`)
	source    = regexp.MustCompile(`(?m)^# Source: (\S+)$`)
)

// Validate returns the problems of the objects in a stream of YAML documents, such as the output of `helm template`. A second object with the same
// apiVersion, kind, namespace and name is a problem, too.
func (v *Validator) Validate(stream string) []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for _, text := range separator.Split(stream, -1) {
		place := ""
		if found := source.FindStringSubmatch(text); found != nil {
			place = found[1]
		}
		for _, problem := range v.document(text, seen) {
			problem.Source = place
			problems = append(problems, problem)
		}
	}
	return problems
}

func (v *Validator) document(text string, seen map[string]bool) []Problem {
	asJSON, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return []Problem{{Message: err.Error()}}
	}
	var document any
	if err := json.Unmarshal(asJSON, &document); err != nil {
		return []Problem{{Message: err.Error()}}
	}
	if document == nil {
		return nil
	}
	object, ok := withoutNulls(document).(map[string]any)
	if !ok {
		return []Problem{{Message: "is not an object"}}
	}
	if items, isList := object["items"].([]any); isList && object["kind"] == "List" {
		var problems []Problem
		for _, item := range items {
			if member, ok := item.(map[string]any); ok {
				problems = append(problems, v.object(member, seen)...)
			}
		}
		return problems
	}
	return v.object(object, seen)
}

func (v *Validator) object(object map[string]any, seen map[string]bool) []Problem {
	apiVersion, _ := object["apiVersion"].(string)
	kindName, _ := object["kind"].(string)
	name := nameOf(object)
	if identity := apiVersion + " " + name; seen[identity] {
		return []Problem{{Object: name, Message: "is rendered twice"}}
	} else if name != kindName { // has a name
		seen[identity] = true
	}
	if name == kindName && !hasGenerateName(object) {
		return []Problem{{Object: name, Path: "/metadata/name", Message: "is missing"}}
	}
	schema, err := v.schema(kind{apiVersion, kindName})
	if err != nil {
		return []Problem{{Object: name, Message: fmt.Sprintf("%s %s: %v", apiVersion, kindName, err)}}
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(object); errors.As(err, &invalid) {
		return problemsOf(name, invalid)
	}
	return nil
}

// problemsOf returns the root causes of a validation error; the other errors only contain the path of schemas to them.
func problemsOf(name string, invalid *jsonschema.ValidationError) []Problem {
	if len(invalid.Causes) == 0 {
		return []Problem{{Object: name, Path: invalid.InstanceLocation, Message: invalid.Message}}
	}
	var problems []Problem
	for _, cause := range invalid.Causes {
		problems = append(problems, problemsOf(name, cause)...)
	}
	return problems
}

func nameOf(object map[string]any) string {
	kindName, _ := object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if namespace, _ := metadata["namespace"].(string); namespace != "" {
		name = namespace + "/" + name
	}
	return strings.TrimSpace(kindName + " " + name)
}

func hasGenerateName(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata["generateName"] != nil
}
