package chartrender

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/helmvalues"
)

// localSchemas returns a chart whose schemas refer only to themselves, and the addresses they referred to: Helm's validator would fetch those, from
// the network or from files.
func localSchemas(c *chart.Chart) (*chart.Chart, []string) {
	found := map[string]bool{}
	local := localSchema(c, found)
	addresses := slices.Sorted(maps.Keys(found))
	if len(addresses) == 0 {
		return c, nil
	}
	return local, addresses
}

func localSchema(c *chart.Chart, found map[string]bool) *chart.Chart {
	out := &chart.Chart{Metadata: c.Metadata, Lock: c.Lock, Templates: c.Templates, Values: helmvalues.CopyTree(c.Values), Schema: stripped(c.Schema, found), Files: c.Files}
	for _, child := range c.Dependencies() {
		out.AddDependency(localSchema(child, found))
	}
	return out
}

// stripped returns a schema without references to other documents, which it adds to found.
func stripped(schema []byte, found map[string]bool) []byte {
	var root any
	if len(schema) == 0 || json.Unmarshal(schema, &root) != nil {
		return schema
	}
	changed := false
	ids := map[string]bool{}
	walkSchema(root, func(node map[string]any) {
		for _, key := range []string{"$id", "id"} {
			if id, ok := node[key].(string); ok {
				ids[strings.TrimSuffix(id, "#")] = true
			}
		}
	})
	walkSchema(root, func(node map[string]any) {
		for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			reference, ok := node[key].(string)
			if base, _, _ := strings.Cut(reference, "#"); ok && base != "" && !ids[base] {
				found[reference], changed = true, true
				delete(node, key)
			}
		}
		if draft, ok := node["$schema"].(string); ok && !knownDraft(draft) {
			changed = true
			if !strings.Contains(draft, "://json-schema.org/") {
				found[draft] = true
			}
			delete(node, "$schema")
		}
	})
	if !changed {
		return schema
	}
	text, err := json.Marshal(root)
	if err != nil {
		return schema
	}
	return text
}

// knownDraft reports whether the validator contains a version of JSON Schema.
func knownDraft(address string) bool {
	_, rest, found := strings.Cut(address, "://json-schema.org/")
	for _, draft := range []string{"draft-04/schema", "draft-06/schema", "draft-07/schema", "draft/2019-09/schema", "draft/2020-12/schema"} {
		if found && strings.TrimSuffix(rest, "#") == draft {
			return true
		}
	}
	return false
}

func walkSchema(node any, visit func(map[string]any)) {
	switch typed := node.(type) {
	case map[string]any:
		visit(typed)
		for _, child := range typed {
			walkSchema(child, visit)
		}
	case []any:
		for _, child := range typed {
			walkSchema(child, visit)
		}
	}
}
