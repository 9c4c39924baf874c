package platformapi

import "encoding/json"

// undocumented is a value whose shape is not known: it takes and gives any JSON.
type undocumented struct{ value any }

// ImplementsGraphQLType says which scalar of the schema this is.
func (undocumented) ImplementsGraphQLType(name string) bool { return name == "Undocumented" }

// UnmarshalGraphQL takes any value.
func (u *undocumented) UnmarshalGraphQL(input any) error {
	u.value = input
	return nil
}

// MarshalJSON gives the value.
func (u undocumented) MarshalJSON() ([]byte, error) { return json.Marshal(u.value) }
