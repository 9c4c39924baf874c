package schemacheck

import "github.com/santhosh-tekuri/jsonschema/v5"

// note records a schema and its subschemas by location, so that the rule of an error can be found by the error's location.
func (c *compiled) note(at *jsonschema.Schema) {
	if at == nil || c.at[at.Location] != nil {
		return
	}
	c.at[at.Location] = at
	for _, inner := range []*jsonschema.Schema{
		at.Ref, at.RecursiveRef, at.DynamicRef, at.Not, at.If, at.Then, at.Else, at.PropertyNames,
		at.UnevaluatedProperties, at.Items2020, at.Contains, at.UnevaluatedItems,
	} {
		c.note(inner)
	}
	for _, list := range [][]*jsonschema.Schema{at.AllOf, at.AnyOf, at.OneOf, at.PrefixItems} {
		for _, inner := range list {
			c.note(inner)
		}
	}
	for _, inner := range at.Properties {
		c.note(inner)
	}
	for _, inner := range at.PatternProperties {
		c.note(inner)
	}
	for _, inner := range at.DependentSchemas {
		c.note(inner)
	}
	for _, held := range []any{at.AdditionalProperties, at.Items, at.AdditionalItems} {
		switch inner := held.(type) {
		case *jsonschema.Schema:
			c.note(inner)
		case []*jsonschema.Schema:
			for _, one := range inner {
				c.note(one)
			}
		}
	}
}
