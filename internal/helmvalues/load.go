package helmvalues

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/cleantext"
)

// Options are the sources of values on Helm's command line, in the order in which they were written.
type Options struct {
	Base       map[string]any // base that everything else overrides; it has no source
	Files      []string       // -f, --values: a path, an http(s) URL, or "-" for In
	JSON       []string       // --set-json
	Set        []string       // --set
	SetString  []string       // --set-string
	SetFile    []string       // --set-file
	SetLiteral []string       // --set-literal
	In         io.Reader      // source of "-"
	Text       []byte         // content of "-", if it was read before
}

// Load reads and merges in Helm's order: files, then --set-json, --set, --set-string, --set-file and --set-literal; later ones override earlier ones.
// An error names the file or flag, and never quotes a value.
func Load(ctx context.Context, options Options) (*Values, error) {
	base, _ := Copy(options.Base).(map[string]any)
	merged, left := New(base), budget.New(limits)
	for _, file := range options.Files {
		text, err := options.read(ctx, file)
		if err != nil {
			return nil, err
		}
		if err := merged.overlay(left, file, text); err != nil {
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

// limits apply to all files of one install together.
var limits = budget.Limits{Bytes: 4 * maxValues, Nodes: 200_000, Copies: 4 << 20, Nesting: 100}

// overlay merges a file over the values so far.
func (v *Values) overlay(left *budget.Budget, file string, text []byte) error {
	layer := map[string]any{}
	if err := requireText(file, text); err != nil {
		return err
	}
	if err := countNodes(left, file, text); err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, &layer); err != nil {
		return unparsed(file, text, err)
	}
	if longPaths(layer) {
		return flawed(file, "its keys are too long for so many values below them: the paths of all values together have more than %d MiB", maxPaths>>20)
	}
	name := shown(file)
	spots, oddities := positions(text)
	for _, oddity := range oddities {
		oddity.Place.File, oddity.First.File = name, name
		v.oddities = append(v.oddities, oddity)
	}
	v.merge(v.Tree, layer, "", func(path string) Place {
		spot := spots[path]
		return Place{File: name, Line: spot.line, Column: spot.column}
	})
	return nil
}

// merge copies a layer into a tree: maps merge, everything else replaces.
func (v *Values) merge(tree, layer map[string]any, path string, place func(path string) Place) {
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

// recordBelow records the place of everything inside a value.
func (v *Values) recordBelow(value any, path string, place func(path string) Place) {
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

func named(place Place, path string) Place {
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

// flagKey is the part of an argument that a message may contain.
var flagKey = regexp.MustCompile(`^[A-Za-z0-9_./\\\[\]-]*`)

// set applies one argument. It parses the argument into an empty tree first, to find the values that it writes.
func (v *Values) set(flag flag, argument string) error {
	key := cleantext.Short(flagKey.FindString(argument))
	var unread *FileError
	alone := map[string]any{}
	err := flag.parse(argument, alone)
	if errors.As(err, &unread) {
		return fmt.Errorf("%s %s=...: file %s: %s", flag.name, key, unread.File, unread.Flaw)
	}
	if err == nil && longPaths(alone) {
		return fmt.Errorf("%s %s=...: its keys are too long for so many values below them", flag.name, key)
	}
	if err == nil {
		if at := scalarAbove(v.Tree, alone, ""); at != "" {
			return fmt.Errorf("%s %s=...: %s is a value (%s), not a map or a list; remove it, or set it as a whole", flag.name, key, at, v.Place(at))
		}
		v.forgetReplaced(v.Tree, alone, "")
		err = flag.parse(argument, v.Tree)
	}
	if err != nil {
		return fmt.Errorf("%s %s=...: the argument cannot be parsed; write %s path.to.value=<value>", flag.name, key, flag.name)
	}
	v.mark(alone, "", Place{Flag: flag.name})
	return nil
}

// scalarAbove returns the path of a scalar below which a flag writes; "" if there is none. Helm rejects that with its own message.
func scalarAbove(existing, incoming any, path string) string {
	below, isMap := incoming.(map[string]any)
	if !isMap || existing == nil {
		return ""
	}
	held, isMap := existing.(map[string]any)
	if _, isList := existing.([]any); !isMap && !isList {
		return path
	}
	for _, key := range slices.Sorted(maps.Keys(below)) {
		if at := scalarAbove(held[key], below[key], Join(path, key)); at != "" {
			return at
		}
	}
	return ""
}

// forgetReplaced removes the places of values that a map or list of the flag replaces, and of lists that it sets as a whole.
func (v *Values) forgetReplaced(existing, incoming any, path string) {
	switch at := incoming.(type) {
	case map[string]any:
		held, isMap := existing.(map[string]any)
		if !isMap {
			v.forget(existing, path)
		}
		for key, inner := range at {
			v.forgetReplaced(held[key], inner, Join(path, key))
		}
	case []any:
		if list, isList := existing.([]any); !isList || len(list) <= len(at) && !slices.ContainsFunc(at, partial) {
			v.forget(existing, path)
		}
	default:
		v.forget(existing, path)
	}
}

// partial reports whether a list item may keep parts of the item that it replaces.
func partial(item any) bool {
	switch item.(type) {
	case nil, map[string]any, []any:
		return true
	}
	return false
}

// mark sets the place of all leaves of a tree. A nil in a list is an item that the flag skipped; elsewhere it is a value set to null.
func (v *Values) mark(value any, path string, place Place) {
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
		v.places[path] = named(place, path)
	}
}

// claim sets the place of a map or list that has none yet, because the flag created it.
func (v *Values) claim(path string, place Place) {
	if _, known := v.places[path]; !known && path != "" {
		v.places[path] = named(place, path)
	}
}
