package helmrender

import (
	"fmt"
	"strings"
)

// definitions are the specs of CustomResourceDefinitions, removed from the rendered texts while Helm sorts them. They are most of what a chart
// renders, and Helm parses every document as a whole to sort it by kind. A spec that is not valid YAML is therefore an error of the reader of the
// documents, not of this package.
type definitions []string

// mark returns the comment that replaces a spec; Helm keeps comments.
func mark(number int) string { return fmt.Sprintf("\n# spec of definition %d.", number) }

// cut removes the specs from texts by file name, and returns the shorter texts.
func (d *definitions) cut(texts map[string]string) map[string]string {
	short := make(map[string]string, len(texts))
	for file, text := range texts {
		const separator = "\n---"
		documents := strings.Split(text, separator)
		for i, document := range documents {
			metadata, spec := strings.Index(document, "\nmetadata:"), strings.Index(document, "\nspec:")
			if spec < 0 || metadata < 0 || spec < metadata || !strings.Contains(document, "\nkind: CustomResourceDefinition\n") {
				continue
			}
			documents[i] = document[:spec] + mark(len(*d))
			*d = append(*d, strings.TrimSpace(document[spec:]))
		}
		short[file] = strings.Join(documents, separator)
	}
	return short
}

// restore returns a document with its spec in place of the mark at its end.
func (d definitions) restore(document string) string {
	for number, spec := range d {
		if head, found := strings.CutSuffix(document, mark(number)); found {
			return head + "\n" + spec
		}
	}
	return document
}
