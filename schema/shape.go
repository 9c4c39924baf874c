package schema

import "slices"

// shape is the definition of a value that every chart has under the same keys, and as the same type.
type shape struct {
	definition string
	kinds      []string // JSON types of the default, besides null
	keys       []string
}

// shapes are the definitions by key. They make an annotation on each of hundreds of values unnecessary, and no component can be forgotten; an annotation
// takes precedence.
var shapes = []shape{
	{"resources", asMap, []string{"resources"}},
	{"probe", asMap, []string{"livenessProbe", "readinessProbe", "startupProbe"}},
	{"tolerations", asList, []string{"tolerations"}},
	{"affinity", asMap, []string{"affinity"}},
	{"container-security-context", asMap, []string{"securityContext", "containerSecurityContext"}},
	{"pod-security-context", asMap, []string{"podSecurityContext"}},
	{"volumes", asList, []string{"volumes", "extraVolumes"}},
	{"volume-mounts", asList, []string{"volumeMounts", "extraVolumeMounts"}},
	{"topology-spread-constraints", asList, []string{"topologySpreadConstraints"}},
	{"env", asEither, []string{"env", "extraEnv"}},
	{"env-from", asList, []string{"envFrom", "extraEnvFrom"}},
	{"containers", asEither, []string{"initContainers", "extraInitContainers", "extraContainers"}},
	{"lifecycle", asMap, []string{"lifecycle"}},
	{"host-aliases", asList, []string{"hostAliases"}},
	{"dns-config", asMap, []string{"dnsConfig"}},
	{"deployment-strategy", asMap, []string{"deploymentStrategy", "strategy"}},
	{"pull-secrets", asList, []string{"imagePullSecrets", "pullSecrets"}},
	{"string-map", asMap, []string{
		"nodeSelector", "annotations", "labels", "podAnnotations", "podLabels", "deploymentAnnotations", "deploymentLabels", "statefulsetAnnotations",
		"statefulsetLabels", "serviceAnnotations", "serviceLabels", "additionalLabels", "additionalAnnotations", "commonLabels", "selector",
		"certificateAnnotations", "secretAnnotations", "secretTemplateAnnotations", "crdAnnotations",
	}},
	{"scaling-behavior", asMap, []string{"behavior"}},
	{"network-policy-egress", asList, []string{"extraEgress"}},
	{"label-expressions", asList, []string{"neighbors"}},
	{"ingress-tls", asList, []string{"tls", "extraTls"}},
	{"ingress-paths", asList, []string{"extraPaths"}},
	{"ingress-rules", asList, []string{"extraRules"}},
}

var (
	asMap    = []string{"object"}
	asList   = []string{"array"}
	asEither = []string{"array", "object"}
)

// shapeByKey replaces properties of a node with references to the definitions of their keys.
func shapeByKey(node Node) {
	properties, _ := node["properties"].(Node)
	for key, value := range properties {
		child, isNode := value.(Node)
		if !isNode || child["$ref"] != nil || child["enum"] != nil || child["const"] != nil {
			continue
		}
		if definition, ok := shapeOf(key, child); ok {
			description, described := child["description"]
			clear(child)
			child["$ref"] = definition
			if described {
				child["description"] = description
			}
		}
	}
}

func shapeOf(key string, node Node) (string, bool) {
	kinds := typesOf(node)
	for _, each := range shapes {
		fits := len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool { return !slices.Contains(each.kinds, kind) })
		if fits && slices.Contains(each.keys, key) {
			return each.definition, true
		}
	}
	return "", false
}

// typesOf returns the types of a node besides null.
func typesOf(node Node) []string {
	var kinds []string
	switch at := node["type"].(type) {
	case string:
		kinds = append(kinds, at)
	case []any:
		for _, kind := range at {
			if text, ok := kind.(string); ok {
				kinds = append(kinds, text)
			}
		}
	}
	return slices.DeleteFunc(kinds, func(kind string) bool { return kind == "null" })
}
