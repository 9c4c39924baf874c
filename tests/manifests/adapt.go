package manifests

import "encoding/json"

const (
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	quantity   = "io.k8s.apimachinery.pkg.api.resource.Quantity"
)

// adapt turns an OpenAPI schema into a JSON schema of the same meaning, in place, and makes it strict: an object with declared fields accepts no others,
// since the API server would drop them silently.
func adapt(node map[string]any) {
	if node["x-kubernetes-int-or-string"] == true || node["format"] == "int-or-string" {
		node["type"] = []any{"integer", "string"}
		delete(node, "format")
		delete(node, "anyOf")
	}
	properties, _ := node["properties"].(map[string]any)
	if len(properties) > 0 && node["additionalProperties"] == nil && node["x-kubernetes-preserve-unknown-fields"] != true {
		node["additionalProperties"] = false
		if node["x-kubernetes-embedded-resource"] == true {
			for _, field := range []string{"apiVersion", "kind", "metadata"} {
				if properties[field] == nil {
					properties[field] = map[string]any{}
				}
			}
		}
	}
	for _, property := range properties {
		adaptAny(property)
	}
	for _, keyword := range []string{"items", "additionalProperties", "not", "allOf", "anyOf", "oneOf"} {
		adaptAny(node[keyword])
	}
}

func adaptAny(node any) {
	switch n := node.(type) {
	case map[string]any:
		adapt(n)
	case []any:
		for _, item := range n {
			adaptAny(item)
		}
	}
}

// quantitySchema returns a schema of the quantities that Kubernetes accepts; its OpenAPI document specifies only a string.
func quantitySchema() map[string]any {
	return map[string]any{
		"type":    []any{"string", "number"},
		"pattern": `^[+-]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`,
	}
}

// withoutNulls removes null fields, which the API server treats as absent.
func withoutNulls(node any) any {
	switch n := node.(type) {
	case map[string]any:
		for key, value := range n {
			if value == nil {
				delete(n, key)
				continue
			}
			n[key] = withoutNulls(value)
		}
	case []any:
		for i, value := range n {
			n[i] = withoutNulls(value)
		}
	case json.Number:
		return n
	}
	return node
}
