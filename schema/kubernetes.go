package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitops-runtime/internal/gomodule"
)

// kubernetesPrefix is the prefix of the names under which references find the definitions of Kubernetes.
const kubernetesPrefix = "kubernetes:"

// groups are the APIs whose types the definitions refer to.
var groups = []string{"io.k8s.api.core.v1.", "io.k8s.api.apps.v1.", "io.k8s.api.autoscaling.v2.", "io.k8s.api.networking.v1.", "io.k8s.apimachinery.pkg.apis.meta.v1.", "io.k8s.apimachinery.pkg.util.intstr.", "io.k8s.apimachinery.pkg.api.resource."}

// template matches a value that a template evaluates, which is accepted in place of a number or a boolean.
const template = `\{\{`

// Types are types of Kubernetes by name, as JSON schemas.
type Types = definitions

// Kubernetes returns the types of Kubernetes by name, from the OpenAPI document of the version that the local cluster runs. Their objects accept only
// their own keys, since the API server would reject or drop others; Kubernetes' documentation describes them.
func Kubernetes(ctx context.Context, root string) (Types, error) {
	module, err := gomodule.Find(ctx, filepath.Join(root, "tests", "e2e", "programs", "kubernetes"), "k8s.io/kubernetes")
	if err != nil {
		return nil, fmt.Errorf("find the OpenAPI document of Kubernetes: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, "api", "openapi-spec", "swagger.json"))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document of Kubernetes: %w", err)
	}
	var document struct {
		Definitions map[string]Node `json:"definitions"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document of Kubernetes: %w", err)
	}
	found := definitions{}
	for name, node := range document.Definitions {
		if title, ok := titleOf(name); ok {
			found[kubernetesPrefix+title] = typeOf(node)
		}
	}
	found[kubernetesPrefix+"Quantity"] = quantity()
	found[kubernetesPrefix+"IntOrString"] = Node{"type": []any{"integer", "string"}}
	found[kubernetesPrefix+"integer"] = Node{"type": []any{"integer", "string"}, "pattern": template}
	found[kubernetesPrefix+"boolean"] = Node{"type": []any{"boolean", "string"}, "pattern": template}
	loosen(found)
	return found, nil
}

func titleOf(name string) (string, bool) {
	for _, group := range groups {
		if title, ok := strings.CutPrefix(name, group); ok {
			return title, true
		}
	}
	return "", false
}

// typeOf converts an OpenAPI schema into a JSON schema.
func typeOf(node Node) Node {
	if reference, ok := node["$ref"].(string); ok {
		title, known := titleOf(strings.TrimPrefix(reference, local))
		if !known {
			return Node{}
		}
		return Node{"$ref": kubernetesPrefix + title}
	}
	switch node["type"] {
	case "integer", "boolean":
		return Node{"$ref": kubernetesPrefix + node["type"].(string)}
	case "array":
		items, _ := node["items"].(Node)
		return Node{"type": "array", "items": typeOf(items)}
	case "object":
		return objectOf(node)
	case nil:
		return Node{}
	}
	return Node{"type": node["type"]}
}

func objectOf(node Node) Node {
	object := Node{"type": "object"}
	if values, ok := node["additionalProperties"].(Node); ok {
		object["additionalProperties"] = typeOf(values)
	}
	properties, _ := node["properties"].(Node)
	if len(properties) == 0 {
		return object
	}
	own := Node{}
	for key, value := range properties {
		own[key] = typeOf(value.(Node))
	}
	object["properties"], object["additionalProperties"] = own, false
	if required, ok := node["required"]; ok {
		object["required"] = required
	}
	return object
}

// quantity returns the schema of the quantities that Kubernetes accepts; its OpenAPI document specifies only a string.
func quantity() Node {
	return Node{
		"type":    []any{"string", "number"},
		"pattern": `^[+-]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$|` + template,
	}
}

// storage are the volume sources of single storage systems, most of which CSI drivers have replaced. Their fields are not validated: they would be
// half of the definition of a volume.
var storage = []string{
	"AWSElasticBlockStore", "AzureDisk", "AzureFile", "CephFS", "Cinder", "FC", "Flex", "Flocker", "GCEPersistentDisk", "GitRepo", "Glusterfs", "ISCSI",
	"PhotonPersistentDisk", "Portworx", "Quobyte", "RBD", "ScaleIO", "StorageOS", "VsphereVirtualDisk",
}

// loosen removes requirements of Kubernetes on objects that a chart completes: a user may set only the path of a probe's request, for example.
func loosen(found definitions) {
	for _, name := range storage {
		found[kubernetesPrefix+name+"VolumeSource"] = Node{"type": "object"}
	}
	for _, name := range []string{"HTTPGetAction", "TCPSocketAction", "GRPCAction"} {
		delete(found[kubernetesPrefix+name], "required")
	}
}
