// Package dropped describes what this project's charts do with the values of the charts that users migrate from, unless they honor them: the schemas
// reject or report them, validate-values migrate moves or removes them, and the compatibility pages list them.
package dropped

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/valueschema"
)

//go:embed *.yaml
var files embed.FS

// Path is the path of a value: its keys from the top. In text they are separated by dots; a dot inside a key is written `\.`.
type Path []string

// ParsePath parses a path.
func ParsePath(text string) Path {
	keys := strings.Split(strings.ReplaceAll(text, `\.`, "\x00"), ".")
	for i := range keys {
		keys[i] = strings.ReplaceAll(keys[i], "\x00", ".")
	}
	return keys
}

// String formats the path for ParsePath.
func (p Path) String() string {
	keys := slices.Clone(p)
	for i := range keys {
		keys[i] = strings.ReplaceAll(keys[i], ".", `\.`)
	}
	return strings.Join(keys, ".")
}

// Within reports whether the path is other or below it.
func (p Path) Within(other Path) bool {
	return len(p) >= len(other) && slices.Equal(p[:len(other)], other)
}

// Value is a value of another chart that has no effect here, or not under this name.
type Value struct {
	Path    Path
	Reason  string // Reason is why it has no effect, without a full stop.
	Instead string // Instead is what to do instead, without a full stop.
	Renamed Path   // Renamed is the name under which the value is honored here; nil if it is not honored.
	// As is how the value is converted for its new name: see validator/migrate. Empty if it stays as it is.
	As string
	// List is true if only a list is dropped; other types of the value are honored under the same name.
	List bool
	// Harmless is true if the value has no effect on the result, so that it is only a warning.
	Harmless bool
}

// Sentence returns the message with which schemas reject the value.
func (v Value) Sentence() string { return valueschema.DroppedSentence(v.Reason, v.Instead) }

// Now returns the name that a path at or below a renamed value has here.
func (v Value) Now(path Path) Path {
	return append(slices.Clone(v.Renamed), path[len(v.Path):]...)
}

// Charts returns the names of the charts that drop values.
func Charts() ([]string, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list what charts drop: %w", err)
	}
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], ".yaml")
	}
	return names, nil
}

// Of returns the values that a chart drops. Most charts drop none.
func Of(chart string) ([]Value, error) { return read(files, chart) }

// read reads the values that a chart drops from <chart>.yaml in dir: a list of {path, reason, instead}, or {path, reason, renamed} for a value that
// has another name here, where instead is "Set <renamed>" if it is not written.
func read(dir fs.FS, chart string) ([]Value, error) {
	text, err := fs.ReadFile(dir, chart+".yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what %s drops: %w", chart, err)
	}
	var written []struct {
		Path, Reason, Instead, Renamed, As string
		Harmless, List                     bool
	}
	if err := yaml.UnmarshalStrict(text, &written); err != nil {
		return nil, fmt.Errorf("what %s drops: %w", chart, err)
	}
	var values []Value
	for _, entry := range written {
		value := Value{Path: ParsePath(entry.Path), Reason: entry.Reason, Instead: entry.Instead, Harmless: entry.Harmless, As: entry.As, List: entry.List}
		if entry.Renamed != "" {
			value.Renamed = ParsePath(entry.Renamed)
			value.Instead = cmp.Or(entry.Instead, "Set "+entry.Renamed)
		}
		if entry.Path == "" || value.Reason == "" || value.Instead == "" || entry.As != "" && entry.Renamed == "" {
			return nil, fmt.Errorf("what %s drops: %+v needs path, reason, and instead or renamed", chart, entry)
		}
		values = append(values, value)
	}
	return values, nil
}

// Below returns the values that a subchart drops, with their paths in the values of the parent chart, where key is the subchart's key.
func Below(key, chart string) ([]Value, error) {
	values, err := Of(chart)
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		values[i].Path = append(Path{key}, value.Path...)
		if value.Renamed != nil {
			values[i].Renamed = append(Path{key}, value.Renamed...)
			if value.Instead == "Set "+value.Renamed.String() {
				values[i].Instead = "Set " + values[i].Renamed.String()
			}
		}
	}
	return values, nil
}
