// Package settings reads the settings of a container: environment variables, paths of mounted files, and ports. A stand-in declares them as the
// fields of a struct, so it cannot read a variable that it has not declared, and a test can compare the declaration with the chart.
package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Secret is a value that logs and errors do not contain.
type Secret string

// String hides the value from the verbs of package fmt.
func (Secret) String() string { return "(secret)" }

// MarshalText hides the value from encoders, such as those of package slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Lookup looks up an environment variable, like os.LookupEnv.
type Lookup func(name string) (value string, set bool)

// Read fills the struct that into points to. These tags declare a field:
//
//	env:"NAME"                 a variable that may be unset
//	env:"NAME,required"        a variable that must have a value
//	env:"NAME,required,empty"  a variable that must be set and may be empty
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
	Required bool // Required means that the program fails without it.
	Empty    bool // Empty means that a required variable may be empty.
}

// Declaration contains all settings that a program reads.
type Declaration struct {
	Variables []Variable
	Files     []string
	Ports     []int
}

// Declared returns the declaration of a struct, in the order of its fields.
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

// field is a field of a settings struct and its parsed tag.
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

// fieldOf parses the tag of a field. It panics if the tag is invalid, which is an error in the program that no input can cause.
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

// parse parses the text of a variable into the type of its field. Its errors do not contain the value, which may be a secret under a wrong name.
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
