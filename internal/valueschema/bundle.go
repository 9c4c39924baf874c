package valueschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
)

// node is a JSON schema, or a part of one, as decoded JSON.
type node = map[string]any

// draft is the JSON schema draft of the charts' schemas, the newest that every editor supports.
const draft = "http://json-schema.org/draft-07/schema#"

// Bundle creates one JSON schema from those of a chart and its dependencies, for editors: it validates a values file as a user writes it against the schema
// of every chart, and describes each value and its default. The schemas of the charts have to contain what they refer to under definitions.
func Bundle(chart *helmchart.Chart) ([]byte, error) {
	var shared definitions = node{}
	bundle, err := shared.inline(chart, chart.Defaults)
	if err != nil {
		return nil, err
	}
	bundle["$schema"], bundle["$id"], bundle["definitions"] = draft, "urn:helm:values:"+chart.Title, shared
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(bundle); err != nil {
		return nil, fmt.Errorf("write the schema of %s: %w", chart.Title, err)
	}
	return out.Bytes(), nil
}

// inline returns the schema of a chart without its definitions, which are added to the shared ones; values are the chart's defaults with those that
// its parent chart sets.
func (d definitions) inline(chart *helmchart.Chart, values map[string]any) (node, error) {
	if chart.Schema == nil {
		return nil, fmt.Errorf("the chart %s has no values.schema.json", chart.Title)
	}
	var schema node
	if err := json.Unmarshal(chart.Schema, &schema); err != nil {
		return nil, fmt.Errorf("the schema of the chart %s: %w", chart.Title, err)
	}
	d.adopt(schema, chart.Title)
	delete(schema, "$schema")
	delete(schema, "$id")
	properties, ok := schema["properties"].(node)
	if !ok {
		return nil, fmt.Errorf("the schema of the chart %s: %w", chart.Title, errors.New("it describes no values"))
	}
	describe(schema, values, "Values of the chart "+chart.Title)
	for _, dependency := range chart.Dependencies {
		if dependency.Schema == nil {
			continue // a library chart, or a chart that accepts any value
		}
		set, _ := values[dependency.Name].(map[string]any)
		below, err := d.inline(dependency.Chart, helmvalues.Merge(dependency.Defaults, set))
		if err != nil {
			return nil, err
		}
		below["type"] = []any{"object", "null"}
		passed, _ := properties[dependency.Name].(node)
		below["description"] = passed["description"]
		if below["description"] == nil || below["description"] == "" {
			below["description"] = "Values of the chart " + dependency.Title
		}
		properties[dependency.Name] = below
	}
	return schema, nil
}

// describe sets the default of every property, and a description if it has none: that of its parent with the remaining keys. A property that refers
// to a definition has one default for all its properties.
func describe(at node, values map[string]any, around string, trail ...string) {
	properties, _ := at["properties"].(node)
	for key, each := range properties {
		property, ok := each.(node)
		if !ok {
			continue
		}
		text, named := property["description"].(string)
		leading := []string{}
		if !named || text == "" {
			leading = append(slices.Clone(trail), key)
			text = around
			property["description"] = text + ": " + strings.Join(leading, ".")
		}
		value, set := values[key]
		table, _ := value.(map[string]any)
		if property["properties"] != nil {
			describe(property, table, text, leading...)
			continue
		}
		if set {
			property["default"] = value
		}
	}
}
