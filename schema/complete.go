package schema

// complete adds in place what Helm itself puts into the chart's values: those of its subcharts,
// which their own schemas check, `global`, and, for a subchart, the parent's `enabled`.
func complete(node Node, c chart, made map[string]Node) error {
	node["$schema"] = "http://json-schema.org/draft-07/schema#"
	node["title"] = "Values of the chart " + c.Name
	properties, ok := node["properties"].(Node)
	if !ok {
		properties = Node{}
		node["properties"] = properties
	}
	for _, key := range c.subcharts() {
		passed := Node{"type": []any{"object", "null"}}
		if written, ok := properties[key].(Node); ok && written["description"] != nil {
			passed["description"] = written["description"]
		}
		properties[key] = passed
	}
	global, ok := properties["global"].(Node)
	if !ok {
		global = Node{"type": []any{"object", "null"}, "description": "Values shared with the parent chart"}
		properties["global"] = global
	}
	if parent, err := addGlobals(properties, c, made); parent || err != nil {
		return err
	}
	open(global)
	if properties["enabled"] == nil {
		properties["enabled"] = Node{"type": []any{"boolean", "null"}, "description": "Read by a parent chart to leave this one out"}
	}
	return nil
}

// addGlobals lets a parent's `global` take the keys that its subcharts read from it, where what
// the parent says of a key wins. It reports whether the chart is such a parent.
func addGlobals(properties Node, c chart, made map[string]Node) (bool, error) {
	parent := false
	for _, dependency := range c.Dependencies {
		subchart, ok := made[dependency.Name]
		if !ok {
			continue
		}
		parent = true
		known, _ := subchart["properties"].(Node)
		if err := merge(properties, Node{"global": known["global"]}); err != nil {
			return false, err
		}
	}
	return parent, nil
}
