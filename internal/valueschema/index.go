package valueschema

import "github.com/santhosh-tekuri/jsonschema/v5"

// note records a schema and its subschemas by location, so that the rule of an error can be found by the error's location.
func (s *Schema) note(at *jsonschema.Schema) {
	if at == nil || s.at[at.Location] != nil {
		return
	}
	s.at[at.Location] = at
	for _, inner := range []*jsonschema.Schema{
		at.Ref, at.RecursiveRef, at.DynamicRef, at.Not, at.If, at.Then, at.Else, at.PropertyNames,
		at.UnevaluatedProperties, at.Items2020, at.Contains, at.UnevaluatedItems,
	} {
		s.note(inner)
	}
	for _, list := range [][]*jsonschema.Schema{at.AllOf, at.AnyOf, at.OneOf, at.PrefixItems} {
		for _, inner := range list {
			s.note(inner)
		}
	}
	for _, inner := range at.Properties {
		s.note(inner)
	}
	for _, inner := range at.PatternProperties {
		s.note(inner)
	}
	for _, inner := range at.DependentSchemas {
		s.note(inner)
	}
	for _, held := range []any{at.AdditionalProperties, at.Items, at.AdditionalItems} {
		switch inner := held.(type) {
		case *jsonschema.Schema:
			s.note(inner)
		case []*jsonschema.Schema:
			for _, one := range inner {
				s.note(one)
			}
		}
	}
}
