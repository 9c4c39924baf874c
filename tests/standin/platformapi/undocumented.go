package platformapi

import "encoding/json"

// undocumented is a value whose shape is not known: it can be any JSON.
type undocumented struct{ value any }

// ImplementsGraphQLType reports whether name is the scalar of the schema for this type.
func (undocumented) ImplementsGraphQLType(name string) bool { return name == "Undocumented" }

// UnmarshalGraphQL stores any value.
func (u *undocumented) UnmarshalGraphQL(input any) error {
	u.value = input
	return nil
}

// MarshalJSON returns the value as JSON.
func (u undocumented) MarshalJSON() ([]byte, error) { return json.Marshal(u.value) }

// UnmarshalJSON stores any value.
func (u *undocumented) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &u.value) }
