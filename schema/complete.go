package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// complete adds to node what Helm itself adds to the chart's values: those of its subcharts, which their own schemas validate, `global`, and the
// `enabled` and `tags` of a chart that depends on it.
func complete(node Node, c chart, schemas map[string]Node) error {
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
	if properties["enabled"] == nil {
		properties["enabled"] = Node{"type": []any{"boolean", "null"}, "description": "Read by a parent chart to leave this one out"}
	}
	properties["tags"] = Node{"type": []any{"object", "null"}, "additionalProperties": Node{"type": []any{"boolean", "null"}}, "description": "Helm's tags, by which charts leave out others"}
	global, ok := properties["global"].(Node)
	if !ok {
		global = Node{"type": []any{"object", "null"}, "description": "Values shared with the parent chart"}
		properties["global"] = global
	}
	return completeGlobals(node, properties, global, c, schemas)
}

// completeGlobals accepts the globals of other charts: a chart that depends on this one has its own, and tools such as Rancher add some. In a parent,
// a typo of a key that it or a subchart reads is rejected.
func completeGlobals(node, properties, global Node, c chart, schemas map[string]Node) error {
	parent, err := addGlobals(node, properties, c, schemas)
	if err != nil {
		return err
	}
	if !parent {
		open(global)
		return nil
	}
	delete(global, "additionalProperties")
	refuseTypos(global)
	return nil
}

// addGlobals adds to a parent's `global` the keys that its subcharts read from it; the parent's definition of a key takes precedence. It reports
// whether the chart is such a parent.
func addGlobals(node, properties Node, c chart, schemas map[string]Node) (bool, error) {
	parent := false
	for _, dependency := range c.Dependencies {
		subchart, ok := schemas[dependency.Name]
		if !ok {
			continue
		}
		parent = true
		known, _ := subchart["properties"].(Node)
		if err := merge(properties, Node{"global": known["global"]}); err != nil {
			return false, err
		}
		if err := addDefinitions(node, properties["global"], subchart); err != nil {
			return false, err
		}
	}
	return parent, nil
}

// addDefinitions copies from another schema the definitions that a part refers to.
func addDefinitions(node Node, part any, from Node) error {
	theirs, _ := from["definitions"].(Node)
	text, err := json.Marshal(part)
	if err != nil {
		return fmt.Errorf("look for references: %w", err)
	}
	for _, reference := range references.FindAllStringSubmatch(string(text), -1) {
		ours, _ := node["definitions"].(Node)
		if ours == nil {
			ours = Node{}
			node["definitions"] = ours
		}
		definition, known := theirs[reference[1]].(Node)
		if ours[reference[1]] != nil || !known {
			continue
		}
		ours[reference[1]] = definition
		if err := addDefinitions(node, definition, from); err != nil {
			return err
		}
	}
	return nil
}

// references finds the names of definitions in a schema as text.
var references = regexp.MustCompile(`"\$ref":"#/definitions/([^"]+)"`)
