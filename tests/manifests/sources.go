package manifests

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
)

// kubernetes adds the OpenAPI definitions of the Kubernetes version that the local cluster runs, and records the location of each kind.
func (v *Validator) kubernetes(ctx context.Context) error {
	module, err := gomodule.Find(ctx, filepath.Join(v.root, "tests", "e2e", "programs", "kubernetes"), "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	v.release = module.Version
	file := filepath.Join(module.Dir, "api", "openapi-spec", "swagger.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the OpenAPI of Kubernetes: %w", err)
	}
	var swagger map[string]any
	if err := json.Unmarshal(text, &swagger); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	named, _ := swagger["definitions"].(map[string]any)
	if named[objectMeta] == nil || named[quantity] == nil {
		return fmt.Errorf("%s defines neither ObjectMeta nor Quantity where they are expected", file)
	}
	for name, value := range named {
		definition, _ := value.(map[string]any)
		adapt(definition)
		for _, kind := range kindsOf(definition) {
			v.locations[kind] = kubernetesURL + "#/definitions/" + name
		}
	}
	named[quantity] = quantitySchema()
	return v.add(kubernetesURL, map[string]any{"definitions": named})
}

// kindsOf returns the kinds that a definition describes. Types without metadata, such as DeleteOptions, have none, since they cannot be applied.
func kindsOf(definition map[string]any) []kind {
	listed, _ := definition["x-kubernetes-group-version-kind"].([]any)
	properties, _ := definition["properties"].(map[string]any)
	if properties["metadata"] == nil {
		return nil
	}
	var kinds []kind
	for _, item := range listed {
		fields, _ := item.(map[string]any)
		group, _ := fields["group"].(string)
		version, _ := fields["version"].(string)
		name, _ := fields["kind"].(string)
		apiVersion := version
		if group != "" {
			apiVersion = group + "/" + version
		}
		kinds = append(kinds, kind{apiVersion, name})
	}
	return kinds
}

// customResources reads the definitions in the YAML files that match the glob pattern.
func (v *Validator) customResources(pattern string) error {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("list custom resource definitions: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("no custom resource definition at %s", pattern)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read a custom resource definition: %w", err)
		}
		if err := v.customResource(file, text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func (v *Validator) customResource(file string, text []byte) error {
	var crd struct {
		Kind string `json:"kind"`
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return err
	}
	if crd.Kind != "CustomResourceDefinition" {
		return nil
	}
	for _, version := range crd.Spec.Versions {
		schema := version.Schema.OpenAPIV3Schema
		adapt(schema)
		if properties, ok := schema["properties"].(map[string]any); ok {
			properties["metadata"] = map[string]any{"$ref": kubernetesURL + "#/definitions/" + objectMeta}
		}
		url := "file:///" + filepath.Base(file) + "/" + crd.Spec.Group + "/" + version.Name
		if err := v.add(url, schema); err != nil {
			return err
		}
		v.locations[kind{crd.Spec.Group + "/" + version.Name, crd.Spec.Names.Kind}] = url
	}
	return nil
}
