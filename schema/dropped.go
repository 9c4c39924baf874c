package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/sentence"
)

// Path leads to a value: its keys from the top. In text they are divided by dots; a dot inside a key is written `\.`.
type Path []string

// ParsePath reads a path from text.
func ParsePath(text string) Path {
	keys := strings.Split(strings.ReplaceAll(text, `\.`, "\x00"), ".")
	for i := range keys {
		keys[i] = strings.ReplaceAll(keys[i], "\x00", ".")
	}
	return keys
}

// String writes the path as text.
func (p Path) String() string {
	keys := slices.Clone(p)
	for i := range keys {
		keys[i] = strings.ReplaceAll(keys[i], ".", `\.`)
	}
	return strings.Join(keys, ".")
}

// Within tells whether the path is other or leads below it.
func (p Path) Within(other Path) bool {
	return len(p) >= len(other) && slices.Equal(p[:len(other)], other)
}

// Dropped is a value that people bring along from another chart and that means nothing here, or nothing under this name.
type Dropped struct {
	Path    Path
	Reason  string // Reason says why, without a full stop.
	Instead string // Instead says what to do, without a full stop.
	Renamed Path   // Renamed is the name under which the value is honoured here; nil where it is not.
}

// Now returns the name that a path at or below a renamed value has here.
func (d Dropped) Now(path Path) Path {
	return append(slices.Clone(d.Renamed), path[len(d.Path):]...)
}

// ReadDropped returns what a chart drops, from <chart>.yaml in dir: a list of {path, reason, instead}, or {path, reason, renamed} for
// what has another name here. Most charts drop nothing.
func ReadDropped(dir fs.FS, chart string) ([]Dropped, error) {
	text, err := fs.ReadFile(dir, chart+".yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what %s drops: %w", chart, err)
	}
	var written []struct{ Path, Reason, Instead, Renamed string }
	if err := yaml.UnmarshalStrict(text, &written); err != nil {
		return nil, fmt.Errorf("what %s drops: %w", chart, err)
	}
	var dropped []Dropped
	for _, entry := range written {
		made := Dropped{Path: ParsePath(entry.Path), Reason: entry.Reason, Instead: entry.Instead}
		if entry.Renamed != "" {
			made.Renamed = ParsePath(entry.Renamed)
			made.Instead = "Set " + entry.Renamed
		}
		if entry.Path == "" || made.Reason == "" || made.Instead == "" || entry.Instead != "" && entry.Renamed != "" {
			return nil, fmt.Errorf("what %s drops: %+v needs path, reason, and either instead or renamed", chart, entry)
		}
		dropped = append(dropped, made)
	}
	return dropped, nil
}

// refuse lets the schema refuse each dropped value in words: the only value it takes is the sentence that says what to do,
// which Helm prints with the path.
func refuse(node Node, dropped []Dropped) error {
	for _, entry := range dropped {
		at := node
		for i, key := range entry.Path {
			if err := expand(at, node); err != nil {
				return fmt.Errorf("dropped value %s: %w", entry.Path, err)
			}
			properties, ok := at["properties"].(Node)
			if !ok {
				return fmt.Errorf("dropped value %s: %s has no keys of its own", entry.Path, entry.Path[:i])
			}
			if i == len(entry.Path)-1 {
				properties[key] = Node{"description": "Dropped", "const": sentence.Dropped(entry.Reason, entry.Instead)}
				break
			}
			if at, ok = properties[key].(Node); !ok {
				return fmt.Errorf("dropped value %s: the schema does not know %s", entry.Path, entry.Path[:i+1])
			}
		}
	}
	return nil
}

// expand puts a copy of the definition in place of a reference to it in at, which then differs from the others that refer to it.
func expand(at, root Node) error {
	reference, refers := at["$ref"].(string)
	if !refers {
		return nil
	}
	shared, _ := root["definitions"].(Node)
	definition, _ := shared[strings.TrimPrefix(reference, local)].(Node)
	delete(at, "$ref")
	return merge(at, definition)
}
