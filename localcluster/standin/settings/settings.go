// Package settings reads what a container is given: environment variables, paths of mounted files, and ports. A stand-in
// declares them as the fields of a struct, so it cannot read a variable that it has not declared, and a test can compare what
// it declares with what the chart gives.
package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Secret is a value that no log and no error shows.
type Secret string

// String hides the value from the verbs of package fmt.
func (Secret) String() string { return "(secret)" }

// MarshalText hides the value from encoders, such as those of package slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Lookup finds an environment variable, as os.LookupEnv does.
type Lookup func(name string) (value string, set bool)

// Read fills the struct that into points to. These tags declare a field:
//
//	env:"NAME"                 a variable that may be absent
//	env:"NAME,required"        a variable that has to have a value
//	env:"NAME,required,empty"  a variable that has to be set and may be empty
//	file:"/path"               the path of a mounted file or folder
//	port:"8080"                a port that the container listens on
//
// Fields of an embedded struct belong to the struct. The error names every variable that is missing or malformed.
func Read(into any, lookup Lookup) error {
	var problems []error
	for _, field := range fieldsOf(reflect.ValueOf(into).Elem()) {
		if err := field.fill(lookup); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// Variable is an environment variable that a program declares.
type Variable struct {
	Name     string
	Required bool // Required is whether the program stops without it.
	Empty    bool // Empty is whether a required variable may be empty.
}

// Declaration is all that a program reads of its container.
type Declaration struct {
	Variables []Variable
	Files     []string
	Ports     []int
}

// Declared is the declaration of a struct, in the order of its fields.
func Declared(of any) Declaration {
	var made Declaration
	for _, field := range fieldsOf(reflect.New(reflect.TypeOf(of)).Elem()) {
		switch {
		case field.variable.Name != "":
			made.Variables = append(made.Variables, field.variable)
		case field.file != "":
			made.Files = append(made.Files, field.file)
		default:
			made.Ports = append(made.Ports, field.port)
		}
	}
	return made
}

// field is one field of a settings struct with what its tag says.
type field struct {
	value    reflect.Value
	variable Variable
	file     string
	port     int
}

func fieldsOf(value reflect.Value) []field {
	var found []field
	for i := range value.NumField() {
		declared := value.Type().Field(i)
		if declared.Anonymous {
			found = append(found, fieldsOf(value.Field(i))...)
			continue
		}
		found = append(found, fieldOf(value.Field(i), declared))
	}
	return found
}

// fieldOf reads the tag of a field. A wrong tag is a mistake of the program that no input can cause, so it panics.
func fieldOf(value reflect.Value, declared reflect.StructField) field {
	made := field{value: value, file: declared.Tag.Get("file")}
	if tag, ok := declared.Tag.Lookup("env"); ok {
		parts := strings.Split(tag, ",")
		made.variable.Name = parts[0]
		for _, option := range parts[1:] {
			switch option {
			case "required":
				made.variable.Required = true
			case "empty":
				made.variable.Empty = true
			default:
				panic(fmt.Sprintf("the tag of the field %s has the option %q; use required and empty", declared.Name, option))
			}
		}
	}
	if tag, ok := declared.Tag.Lookup("port"); ok {
		port, err := strconv.Atoi(tag)
		if err != nil {
			panic(fmt.Sprintf("the tag of the field %s has the port %q, which is not a number", declared.Name, tag))
		}
		made.port = port
	}
	if made.variable.Name == "" && made.file == "" && made.port == 0 {
		panic(fmt.Sprintf("the field %s has no tag: declare it with env, file or port", declared.Name))
	}
	return made
}

func (f field) fill(lookup Lookup) error {
	switch {
	case f.file != "":
		f.value.SetString(f.file)
		return nil
	case f.port != 0:
		f.value.SetInt(int64(f.port))
		return nil
	}
	text, set := lookup(f.variable.Name)
	if f.variable.Required && (!set || (text == "" && !f.variable.Empty)) {
		return fmt.Errorf("set the environment variable %s: it is required and has no value", f.variable.Name)
	}
	if text == "" {
		return nil
	}
	return f.parse(text)
}

// parse reads the text of a variable into a field of the type that the program declares. Its errors show no value: it may be a
// secret under a wrong name.
func (f field) parse(text string) error {
	switch f.value.Interface().(type) {
	case string, Secret:
		f.value.SetString(text)
	case bool:
		parsed, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("set the environment variable %s to true or false", f.variable.Name)
		}
		f.value.SetBool(parsed)
	case int:
		parsed, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("set the environment variable %s to a whole number", f.variable.Name)
		}
		f.value.SetInt(int64(parsed))
	case time.Duration:
		parsed, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("set the environment variable %s to a duration such as 10s", f.variable.Name)
		}
		f.value.SetInt(int64(parsed))
	default:
		panic(fmt.Sprintf("the variable %s has a field of the type %s, which cannot be read", f.variable.Name, f.value.Type()))
	}
	return nil
}
