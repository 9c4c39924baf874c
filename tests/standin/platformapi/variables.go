package platformapi

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/graph-gophers/graphql-go/types"
)

// declaredVariable matches a variable with its type in the head of an operation.
var declaredVariable = regexp.MustCompile(`\$(\w+)\s*:\s*(\[?)(\w+)`)

// wrongVariable describes the first field of the variables that is not valid: a field that the type does not have, or a value of another kind. The
// GraphQL library checks only required fields and enums.
func wrongVariable(schema *types.Schema, document string, variables map[string]any) string {
	for _, match := range declaredVariable.FindAllStringSubmatch(document, -1) {
		declared, known := schema.Types[match[3]]
		if !known {
			continue // the library reports it
		}
		values := []any{variables[match[1]]}
		if list, ok := variables[match[1]].([]any); ok && match[2] != "" {
			values = list
		}
		for _, value := range values {
			if problem := wrongValue(match[1], value, declared); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// wrongValue describes the first field at path or below whose value is not valid for a type.
func wrongValue(path string, value any, declared types.Type) string {
	if value == nil {
		return ""
	}
	switch declared := declared.(type) {
	case *types.NonNull:
		return wrongValue(path, value, declared.OfType)
	case *types.List:
		list, ok := value.([]any)
		if !ok {
			return fmt.Sprintf("the field %s is not a list", path)
		}
		for i, item := range list {
			if problem := wrongValue(fmt.Sprintf("%s[%d]", path, i), item, declared.OfType); problem != "" {
				return problem
			}
		}
	case *types.InputObject:
		return wrongObject(path, value, declared)
	case *types.ScalarTypeDefinition:
		if !fits(value, declared.Name) {
			return fmt.Sprintf("the field %s is not of the type %s", path, declared.Name)
		}
	}
	return ""
}

func wrongObject(path string, value any, declared *types.InputObject) string {
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Sprintf("the field %s is not an object", path)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		field := declared.Values.Get(name)
		if field == nil {
			return fmt.Sprintf("the field %s.%s is not one of %s", path, name, declared.Name)
		}
		if problem := wrongValue(path+"."+name, object[name], field.Type); problem != "" {
			return problem
		}
	}
	return ""
}

// fits reports whether a JSON value is of a scalar type.
func fits(value any, scalar string) bool {
	switch value := value.(type) {
	case string:
		return scalar == "String" || scalar == "ID" || scalar == "Undocumented"
	case bool:
		return scalar == "Boolean" || scalar == "Undocumented"
	case float64:
		return scalar == "Float" || (scalar == "Int" && value == float64(int32(value))) || scalar == "Undocumented"
	default:
		return scalar == "Undocumented"
	}
}
