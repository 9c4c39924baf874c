package values

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"

	"gitops-runtime/validator/findings"
)

// Options are the ways to give values on Helm's command line, in the order in
// which they were written.
type Options struct {
	Base       map[string]any // lies below everything; nobody wrote it anywhere
	Files      []string       // -f, --values: a path, an http(s) URL, or "-" for In
	JSON       []string       // --set-json
	Set        []string       // --set
	SetString  []string       // --set-string
	SetFile    []string       // --set-file
	SetLiteral []string       // --set-literal
	In         io.Reader      // what "-" reads
	Text       []byte         // what "-" held, where it was read before
}

// Load reads and merges in Helm's order: files, then --set-json, --set,
// --set-string, --set-file and --set-literal, each later one winning. An error
// names the file or flag, and never quotes a value.
func Load(ctx context.Context, options Options) (*Values, error) {
	base, _ := clone(options.Base).(map[string]any)
	merged := New(base)
	for _, file := range options.Files {
		text, err := options.read(ctx, file)
		if err != nil {
			return nil, err
		}
		if err := merged.overlay(file, text); err != nil {
			return nil, err
		}
	}
	for _, flag := range options.flags(ctx) {
		for _, argument := range flag.arguments {
			if err := merged.set(flag, argument); err != nil {
				return nil, err
			}
		}
	}
	return merged, nil
}

// overlay merges a file over what is there already.
func (v *Values) overlay(file string, text []byte) error {
	layer := map[string]any{}
	if err := noText(file, text); err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, &layer); err != nil {
		return unparsed(file, text, err)
	}
	spots, oddities := positions(text)
	for _, oddity := range oddities {
		oddity.Place.File, oddity.First.File = file, file
		v.oddities = append(v.oddities, oddity)
	}
	v.merge(v.Tree, layer, "", func(path string) findings.Place {
		spot := spots[path]
		return findings.Place{File: file, Line: spot.line, Column: spot.column}
	})
	return nil
}

// merge copies a layer into a tree: maps merge, everything else replaces.
func (v *Values) merge(tree, layer map[string]any, path string, place func(path string) findings.Place) {
	for key, value := range layer {
		at := Join(path, key)
		if incoming, isMap := value.(map[string]any); isMap {
			if existing, both := tree[key].(map[string]any); both {
				v.places[at] = named(place(at), at)
				v.merge(existing, incoming, at, place)
				continue
			}
		}
		v.forget(tree[key], at)
		tree[key] = value
		v.places[at] = named(place(at), at)
		v.recordBelow(value, at, place)
	}
}

// recordBelow notes the place of everything inside a value.
func (v *Values) recordBelow(value any, path string, place func(path string) findings.Place) {
	switch at := value.(type) {
	case map[string]any:
		for key, inner := range at {
			below := Join(path, key)
			v.places[below] = named(place(below), below)
			v.recordBelow(inner, below, place)
		}
	case []any:
		for i, inner := range at {
			below := Index(path, i)
			v.places[below] = named(place(below), below)
			v.recordBelow(inner, below, place)
		}
	}
}

func named(place findings.Place, path string) findings.Place {
	place.Value = path
	return place
}

// flag is one of the --set family with its arguments and its parser.
type flag struct {
	name      string
	arguments []string
	parse     func(argument string, into map[string]any) error
}

func (o Options) flags(ctx context.Context) []flag {
	fromFile := func(argument string, into map[string]any) error {
		return strvals.ParseIntoFile(argument, into, func(name []rune) (any, error) {
			text, err := o.read(ctx, string(name))
			return string(text), err
		})
	}
	return []flag{
		{"--set-json", o.JSON, strvals.ParseJSON},
		{"--set", o.Set, strvals.ParseInto},
		{"--set-string", o.SetString, strvals.ParseIntoString},
		{"--set-file", o.SetFile, fromFile},
		{"--set-literal", o.SetLiteral, strvals.ParseLiteralInto},
	}
}

// flagKey is the part of an argument that may be repeated in a message.
var flagKey = regexp.MustCompile(`^[A-Za-z0-9_./\\\[\]-]*`)

// set applies one argument, and learns from a second pass into an empty tree
// which values it wrote.
func (v *Values) set(flag flag, argument string) error {
	key := flagKey.FindString(argument)
	var unread *FileError
	err := flag.parse(argument, v.Tree)
	if errors.As(err, &unread) {
		return fmt.Errorf("%s %s=...: file %s: %s", flag.name, key, unread.File, unread.Flaw)
	}
	if err != nil {
		return fmt.Errorf("%s %s=...: the argument cannot be parsed; write %s path.to.value=<value>", flag.name, key, flag.name)
	}
	alone := map[string]any{}
	if err := flag.parse(argument, alone); err != nil {
		return fmt.Errorf("%s %s=...: the argument cannot be parsed", flag.name, key)
	}
	v.mark(alone, "", findings.Place{Flag: flag.name})
	return nil
}

// mark gives the leaves of a tree one place. A nil in a list is an item that
// the flag passed over; elsewhere it is a value set to null.
func (v *Values) mark(value any, path string, place findings.Place) {
	switch at := value.(type) {
	case map[string]any:
		v.claim(path, place)
		for key, inner := range at {
			v.mark(inner, Join(path, key), place)
		}
	case []any:
		v.claim(path, place)
		for i, inner := range at {
			if inner != nil {
				v.mark(inner, Index(path, i), place)
			}
		}
	default:
		v.overwrite(path, place)
	}
}

// claim gives a map or list a place when it has none yet: the flag made it.
func (v *Values) claim(path string, place findings.Place) {
	if _, known := v.places[path]; !known && path != "" {
		v.places[path] = named(place, path)
	}
}
