package valueschema

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// local is the prefix of references to definitions in the same schema.
const local = "#/definitions/"

// definitions are the definitions of all schemas by name.
type definitions node

// adopt moves the definitions of a schema to d. A definition that differs from the existing one of the same name is renamed with the chart's name,
// and so is each that refers to it.
func (d definitions) adopt(schema node, chart string) {
	own, _ := schema["definitions"].(node)
	delete(schema, "definitions")
	renamed := d.differing(own, chart)
	rename(schema, renamed)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		rename(own[name], renamed)
		target := name
		if other, ok := renamed[name]; ok {
			target = other
		}
		d[target] = own[name]
	}
}

// differing returns the names of definitions that need other names, with those names.
func (d definitions) differing(own node, chart string) map[string]string {
	renamed := map[string]string{}
	for name, definition := range own {
		if known, ok := d[name]; ok && !reflect.DeepEqual(known, definition) {
			renamed[name] = chart + "." + name
		}
	}
	for changed := true; changed; {
		changed = false
		for name, definition := range own {
			_, known := d[name]
			if _, done := renamed[name]; done || !known || !refers(definition, renamed) {
				continue
			}
			renamed[name], changed = chart+"."+name, true
		}
	}
	return renamed
}

// refers reports whether a part of a schema refers to one of the names.
func refers(part any, names map[string]string) bool {
	found := false
	references(part, func(at node, name string) {
		_, named := names[name]
		found = found || named
	})
	return found
}

// rename renames the references in a part of a schema.
func rename(part any, names map[string]string) {
	references(part, func(at node, name string) {
		if other, ok := names[name]; ok {
			at["$ref"] = local + other
		}
	})
}

// references calls found for every reference to a definition in a part of a schema.
func references(part any, found func(at node, name string)) {
	switch held := part.(type) {
	case node:
		if reference, ok := held["$ref"].(string); ok && strings.HasPrefix(reference, local) {
			found(held, strings.TrimPrefix(reference, local))
		}
		for _, below := range held {
			references(below, found)
		}
	case []any:
		for _, below := range held {
			references(below, found)
		}
	}
}
