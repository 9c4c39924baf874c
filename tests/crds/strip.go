package crds

// stripSchema removes the descriptions of an OpenAPI schema in place. It walks the schema by its
// structure, so that a property that is itself called "description" stays.
func stripSchema(schema map[string]any) {
	delete(schema, "description")
	delete(schema, "externalDocs")
	delete(schema, "example")
	for _, keyword := range []string{"properties", "patternProperties", "definitions"} {
		named, _ := schema[keyword].(map[string]any)
		for _, property := range named {
			stripAny(property)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties", "additionalItems", "not", "allOf", "anyOf", "oneOf"} {
		stripAny(schema[keyword])
	}
}

// stripAny strips a schema, a list of schemas, or nothing if a boolean replaces a schema.
func stripAny(node any) {
	switch n := node.(type) {
	case map[string]any:
		stripSchema(n)
	case []any:
		for _, item := range n {
			stripAny(item)
		}
	}
}

// stripColumns removes the descriptions of printer columns in place.
func stripColumns(columns any) {
	list, _ := columns.([]any)
	for _, column := range list {
		if c, ok := column.(map[string]any); ok {
			delete(c, "description")
		}
	}
}
