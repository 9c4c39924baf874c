package crds

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
)

// Definition is one custom resource definition as the charts ship it.
type Definition struct {
	Plural string // resource name in the plural; also the file's name
	Text   []byte // YAML document with a header comment
	Before int    // bytes of the definition in its origin; 0 where the origin is not a file
}

// derive reduces a definition of a module: no descriptions, no status, and metadata with only the name, since the chart adds its labels and
// annotations on the line after it.
func derive(module gomodule.Module, text []byte) (Definition, error) {
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return Definition{}, fmt.Errorf("read the definition: %w", err)
	}
	definition, err := finish(crd, fmt.Sprintf("Derived from %s %s by make generate; do not edit.", module.Path, module.Version))
	definition.Before = len(text)
	return definition, err
}

// finish checks a definition and writes it with a header comment.
func finish(crd map[string]any, header string) (Definition, error) {
	if crd["kind"] != "CustomResourceDefinition" || crd["apiVersion"] != "apiextensions.k8s.io/v1" {
		return Definition{}, fmt.Errorf("want apiextensions.k8s.io/v1 CustomResourceDefinition, got %v %v", crd["apiVersion"], crd["kind"])
	}
	spec, _ := crd["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	plural, _ := names["plural"].(string)
	group, _ := spec["group"].(string)
	versions, _ := spec["versions"].([]any)
	if plural == "" || group == "" || len(versions) == 0 {
		return Definition{}, fmt.Errorf("the definition lacks spec.names.plural, spec.group or spec.versions")
	}
	delete(crd, "status")
	metadata := map[string]any{"name": plural + "." + group}
	if approval := approvalOf(crd); approval != "" {
		metadata["annotations"] = map[string]any{approved: approval}
	}
	crd["metadata"] = metadata
	for _, v := range versions {
		version, _ := v.(map[string]any)
		stripColumns(version["additionalPrinterColumns"])
		schema, _ := version["schema"].(map[string]any)
		stripAny(schema["openAPIV3Schema"])
	}
	body, err := write(crd, versions)
	if err != nil {
		return Definition{}, fmt.Errorf("write the definition: %w", err)
	}
	if metadata["annotations"] == nil && strings.Count("\n"+body, "\nmetadata:\n  name: ") != 1 {
		return Definition{}, fmt.Errorf("the chart finds no unique metadata line to add labels after")
	}
	return Definition{Plural: plural, Text: []byte("# " + header + "\n" + body)}, nil
}

// approved is the annotation without which an API server rejects a definition of a group under k8s.io. Definitions with it are for local clusters;
// no chart adds labels to them.
const approved = "api-approved.kubernetes.io"

// approvalOf returns the value of a definition's approval annotation, "" without one.
func approvalOf(crd map[string]any) string {
	metadata, _ := crd["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	approval, _ := annotations[approved].(string)
	return approval
}

// write returns the definition as YAML in which each schema is one line of JSON. Indented, the schema of ApplicationSet is four times as long, and
// eight times as large in Helm's release Secret, since its repetitions are too far apart for gzip's window.
func write(crd map[string]any, versions []any) (string, error) {
	var replacements []string
	for i, v := range versions {
		version, _ := v.(map[string]any)
		schema, _ := version["schema"].(map[string]any)
		if schema["openAPIV3Schema"] == nil {
			return "", fmt.Errorf("version %v has no openAPIV3Schema", version["name"])
		}
		line, err := json.Marshal(schema["openAPIV3Schema"])
		if err != nil {
			return "", fmt.Errorf("schema of version %v: %w", version["name"], err)
		}
		mark := fmt.Sprintf("schema-of-version-%d", i)
		schema["openAPIV3Schema"] = mark
		replacements = append(replacements, "openAPIV3Schema: "+mark+"\n", "openAPIV3Schema: "+string(line)+"\n")
	}
	body, err := yaml.Marshal(crd)
	if err != nil {
		return "", err
	}
	return strings.NewReplacer(replacements...).Replace(string(body)), nil
}
