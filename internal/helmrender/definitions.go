package helmrender

import (
	"fmt"
	"strings"
)

// definitions are the specs of CustomResourceDefinitions, taken out of the rendered texts. They are most of what a chart renders, and Helm parses every
// document as a whole to sort it by its kind. A spec that is not YAML is therefore not an error here, but for the reader of the documents.
type definitions []string

// mark replaces a spec: a comment, which Helm keeps.
func mark(number int) string { return fmt.Sprintf("\n# spec of definition %d.", number) }

// cut takes the specs out of texts, by file.
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

// restore puts the spec of a document back; a document ends with its mark.
func (d definitions) restore(document string) string {
	for number, spec := range d {
		if head, found := strings.CutSuffix(document, mark(number)); found {
			return head + "\n" + spec
		}
	}
	return document
}
