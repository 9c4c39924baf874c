package migrate

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/valueschema"
)

// unquotable matches the texts that the templates of the published charts render as what they say. "false" is not one: these templates take it for true.
var unquotable = regexp.MustCompile(`^(-?(0|[1-9][0-9]*)|true)$`)

// wanted matches the problems of values that have to be numbers, or true or false.
var wanted = regexp.MustCompile(`has to be [a-z ,]*(number|true|boolean)`)

// unquote removes the quotes of the numbers and of "true" that the chart rejects because they are texts.
func unquote(text []byte, rejected []valueschema.Problem) ([]byte, []Change, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, nil, fmt.Errorf("read the migrated values: %w", err)
	}
	var changes []Change
	for _, problem := range rejected {
		path := dropped.ParsePath(problem.Place.Value)
		if problem.Code != valueschema.CodeType || !wanted.MatchString(problem.Message) {
			continue
		}
		_, content := find(document.Content[0], path)
		if content == nil || content.Kind != yaml.ScalarNode || content.Tag != "!!str" || !unquotable.MatchString(content.Value) {
			continue
		}
		content.Style, content.Tag = 0, ""
		changes = append(changes, Change{Verdict: Unquoted, Path: path, Reason: "It is written without quotes, since it is not a string."})
	}
	if len(changes) == 0 {
		return text, nil, nil
	}
	made, err := encode(&document, bytes.Clone(text))
	return made, changes, err
}

// replaced returns the changes with those of the same values replaced by others.
func replaced(changes, others []Change) []Change {
	return append(others, slices.DeleteFunc(changes, func(change Change) bool {
		return change.Verdict == Unchanged && slices.ContainsFunc(others, func(other Change) bool { return slices.Equal(other.Path, change.Path) })
	})...)
}
