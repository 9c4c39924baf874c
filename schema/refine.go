package schema

import "slices"

// eachChild calls visit for every schema directly below node.
func eachChild(node Node, visit func(key string, child Node) error) error {
	for _, keyword := range []string{"properties", "patternProperties"} {
		named, _ := node[keyword].(Node)
		for key, value := range named {
			if child, ok := value.(Node); ok {
				if err := visit(key, child); err != nil {
					return err
				}
			}
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if child, ok := node[keyword].(Node); ok {
			if err := visit(keyword, child); err != nil {
				return err
			}
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := node[keyword].([]any)
		for _, value := range list {
			if child, ok := value.(Node); ok {
				if err := visit(keyword, child); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// refine corrects in place what a converter cannot know from defaults alone: an empty map accepts any key, the objects of a list may have other keys
// than those of the default, and any value may be null, which deletes a default in Helm.
func refine(node Node) {
	loosenItems(node)
	if properties, _ := node["properties"].(Node); len(properties) == 0 && node["additionalProperties"] == false && node["$ref"] == nil {
		delete(node, "additionalProperties")
	}
	if node["type"] == "null" {
		delete(node, "type")
	}
	_ = eachChild(node, func(_ string, child Node) error {
		refine(child)
		return nil
	})
	allowNull(node)
}

func loosenItems(node Node) {
	if items, ok := node["items"].(Node); ok && items["type"] == "object" && items["$ref"] == nil {
		delete(items, "properties")
		delete(items, "additionalProperties")
		delete(items, "required")
	}
}

func allowNull(node Node) {
	switch t := node["type"].(type) {
	case string:
		node["type"] = []any{t, "null"}
	case []any:
		if !slices.Contains(t, any("null")) {
			node["type"] = append(t, "null")
		}
	}
	if values, ok := node["enum"].([]any); ok && !slices.Contains(values, nil) {
		node["enum"] = append(values, nil)
	}
}

// open makes node and everything below it accept other keys.
func open(node Node) {
	if node["additionalProperties"] == false {
		delete(node, "additionalProperties")
	}
	_ = eachChild(node, func(_ string, child Node) error {
		open(child)
		return nil
	})
}
