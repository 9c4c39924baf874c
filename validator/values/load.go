package values

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"

	"gitops-runtime/validator/findings"
)

// Options are the ways to give values on Helm's command line, in the order in
// which they were written.
type Options struct {
	Files      []string  // -f, --values: a path, an http(s) URL, or "-" for In
	JSON       []string  // --set-json
	Set        []string  // --set
	SetString  []string  // --set-string
	SetFile    []string  // --set-file
	SetLiteral []string  // --set-literal
	In         io.Reader // what "-" reads
}

// fetchTime bounds the download of a values file.
const fetchTime = 10 * time.Second

// maxValues bounds a values file; Helm's release has to fit one MiB.
const maxValues = 16 << 20

// Load reads and merges in Helm's order: files, then --set-json, --set,
// --set-string, --set-file and --set-literal, each later one winning. An error
// names the file or flag, and never quotes a value.
func Load(ctx context.Context, options Options) (*Values, error) {
	merged := New(nil)
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

// read fetches the text of one -f argument.
func (o Options) read(ctx context.Context, name string) ([]byte, error) {
	if strings.TrimSpace(name) == "-" {
		if o.In == nil {
			return nil, fmt.Errorf("-f -: there is no standard input")
		}
		return io.ReadAll(io.LimitReader(o.In, maxValues))
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return o.fetch(ctx, name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("values file: %w", err)
	}
	return text, nil
}

func (o Options) fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("values file %s: %w", address, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("values file: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("values file %s: the server answers %s", address, response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxValues))
}

// overlay merges a file over what is there already.
func (v *Values) overlay(file string, text []byte) error {
	layer := map[string]any{}
	if err := yaml.Unmarshal(text, &layer); err != nil {
		return fmt.Errorf("values file %s is no YAML map: %s", file, syntax(err))
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

// syntax shortens a YAML error to what a person needs, and drops the values
// that a conversion error may quote.
func syntax(err error) string {
	text := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "error unmarshaling JSON: ", "yaml: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	if cut := strings.Index(text, "`"); cut >= 0 {
		text = strings.TrimSpace(text[:cut]) + " (see that line)"
	}
	if strings.Contains(text, "cannot unmarshal") {
		return "its top level is not a map"
	}
	return text
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
	if err := flag.parse(argument, v.Tree); err != nil {
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
