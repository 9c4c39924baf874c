// Package migrate rewrites a values file of the published chart, or of a community chart, for the chart of this project: renamed values are moved,
// values without effect are removed, and the rest is unchanged, comments included.
package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/internal/dropped"
)

// Verdict is what happens to a value.
type Verdict string

// The verdicts.
const (
	Moved     Verdict = "moved"
	Dropped   Verdict = "dropped"
	Unchanged Verdict = "unchanged"
	// Unquoted is a number, or true, that was written as a text.
	Unquoted Verdict = "unquoted"
	// Differs is an unchanged value with another effect here.
	Differs Verdict = "differs"
	// Unsettled is a value that the chart rejects, and Doubtful one that it accepts but that is probably a mistake.
	Unsettled Verdict = "unsettled"
	Doubtful  Verdict = "doubtful"
)

// Change describes what happens to the value at a path.
type Change struct {
	Verdict Verdict
	Path    dropped.Path
	// To are the new paths of a moved value.
	To []dropped.Path
	// Reason is why a value was moved, removed or rejected, and what to do about it.
	Reason string
	// Line is the line in the migrated file of an Unsettled or Doubtful value.
	Line int
}

// Charts returns the names of the charts whose values files can be migrated.
func Charts() []string {
	return append([]string{umbrella}, parts...)
}

const umbrella = "gitops-runtime"

// parts are the charts that the umbrella chart depends on, under their own names.
var parts = []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows", "tunnel-client"}

// Of returns the values that a chart drops or renames; for the umbrella chart also those of its parts.
func Of(chart string) ([]dropped.Value, error) {
	if !slices.Contains(Charts(), chart) {
		return nil, fmt.Errorf("unknown chart %q", chart)
	}
	all, err := dropped.Of(chart)
	if err != nil || chart != umbrella {
		return all, err
	}
	for _, part := range parts {
		below, err := dropped.Below(part, part)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// File migrates the text of a values file. A text without changes is returned as it is.
func File(text []byte, obsolete []dropped.Value) ([]byte, []Change, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF): // an empty file
		return text, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("it is not YAML: %w", err)
	}
	var further yaml.Node
	if decoder.Decode(&further) == nil {
		return nil, nil, errors.New("it contains more than one YAML document; Helm reads only the first one, so put each into a separate file")
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return text, nil, nil
	}
	var changes []Change
	for _, value := range obsolete {
		if change, found := apply(root, value); found {
			changes = append(changes, change)
		}
	}
	changed := len(changes) > 0
	changes = append(changes, unchanged(root, changes)...)
	if !changed {
		return text, changes, nil
	}
	migrated, err := encode(&document, text)
	return migrated, changes, err
}

// apply moves or removes one value; false if the file does not have it.
func apply(root *yaml.Node, value dropped.Value) (Change, bool) {
	key, content := find(root, value.Path)
	if key == nil || value.List && (content.Kind != yaml.SequenceNode || len(content.Content) == 0) {
		return Change{}, false
	}
	keepAnchors(root, content)
	remove(root, value.Path)
	change := Change{Verdict: Dropped, Path: value.Path, Reason: value.Reason + ". " + value.Instead + "."}
	if value.Renamed == nil {
		return change, true
	}
	list, left := converted(value, content)
	note := ""
	if left != "" {
		note = " " + left + " is moved. " + value.Instead + "."
	}
	for _, one := range list {
		kept, added := insert(root, one.path, key, one.content)
		for _, path := range kept {
			note += " " + path.String() + " is set, too, and stays."
		}
		if added {
			change.Verdict, change.To = Moved, append(change.To, one.path)
		}
	}
	if change.Verdict == Moved || note != "" {
		change.Reason = value.Reason + "." + note
	}
	return change, true
}

// unchanged returns the leaves of a migrated file, except those that a change has moved.
func unchanged(root *yaml.Node, changes []Change) []Change {
	var list []Change
	for _, path := range leaves(root, nil, 0) {
		moved := func(c Change) bool { return slices.ContainsFunc(c.To, path.Within) }
		if !slices.ContainsFunc(changes, moved) {
			list = append(list, Change{Verdict: Unchanged, Path: path})
		}
	}
	return list
}

// encode formats a document, with lists indented as in the text it was read from.
func encode(document *yaml.Node, text []byte) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if compactLists(document) {
		encoder.CompactSeqIndent()
	}
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("write the values: %w", err)
	}
	if bytes.Equal(bytes.TrimSpace(out.Bytes()), []byte("{}")) && !bytes.Contains(text, []byte("#")) {
		return []byte("{}\n"), nil
	}
	return out.Bytes(), nil
}
