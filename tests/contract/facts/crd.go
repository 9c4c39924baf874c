package facts

import (
	"maps"
	"slices"
	"strings"
)

func (m *maker) definition(spec fields) {
	m.add("crd", "group", spec["group"])
	m.add("crd", "scope", spec["scope"])
	for key, value := range spec.sub("names") {
		if _, ok := value.([]any); ok {
			value = strings.Join(spec.sub("names").texts(key), ",")
		}
		m.add("crd", "names."+key, value)
	}
	for _, version := range spec.subs("versions") {
		at := "version " + version.text("name")
		m.add("crd", at, "served="+text(version["served"])+" storage="+text(version["storage"]))
		for _, sub := range slices.Sorted(maps.Keys(version.sub("subresources"))) {
			m.add("crd", at+" subresource", sub)
		}
		for _, column := range version.subs("additionalPrinterColumns") {
			m.add("crd", at+" column "+column.text("name"), column.text("jsonPath")+" "+column.text("type"))
		}
		m.schema(version.sub("schema").sub("openAPIV3Schema"), at, "", false)
	}
}

// schema records the fields below a node of an OpenAPI schema. Items of lists are at [], values of maps at {}.
func (m *maker) schema(node fields, at, path string, required bool) {
	if path != "" {
		m.add("crd", at+" "+path, describe(node, required))
	} else if node.isTrue("x-kubernetes-preserve-unknown-fields") {
		m.add("crd", at+" (root)", "type="+node.text("type")+" preserve-unknown")
	}
	need := node.texts("required")
	for name := range node.sub("properties") {
		if path == "" && (name == "apiVersion" || name == "kind" || name == "metadata") {
			continue
		}
		below := name
		if path != "" {
			below = path + "." + name
		}
		m.schema(node.sub("properties").sub(name), at, below, slices.Contains(need, name))
	}
	if items := node.sub("items"); items != nil {
		m.schema(items, at, path+"[]", false)
	}
	if values := node.sub("additionalProperties"); values != nil {
		m.schema(values, at, path+"{}", false)
	}
}

func describe(node fields, required bool) string {
	kind := node.text("type")
	if kind == "" {
		kind = "any"
		if node.isTrue("x-kubernetes-int-or-string") {
			kind = "int-or-string"
		}
	}
	bits := []string{"type=" + kind}
	if required {
		bits = append(bits, "required")
	}
	for _, key := range []string{"enum", "default", "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "nullable"} {
		if _, ok := node[key].([]any); ok {
			bits = append(bits, key+"="+strings.Join(node.texts(key), "|"))
		} else if node.has(key) {
			bits = append(bits, key+"="+text(node[key]))
		}
	}
	if node.isTrue("x-kubernetes-preserve-unknown-fields") {
		bits = append(bits, "preserve-unknown")
	}
	for _, rule := range node.subs("x-kubernetes-validations") {
		bits = append(bits, "cel="+rule.text("rule"))
	}
	return strings.Join(bits, " ")
}
