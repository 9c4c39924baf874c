package chartrender

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// Document is one manifest of a rendered chart.
type Document struct {
	// Template is the file that rendered the document, for instance "nats/templates/pod.yaml".
	Template string
	// Index counts the documents of one template from 0.
	Index int
	// Text is the manifest as rendered.
	Text string
}

// Key identifies the place of a document in the chart, not its content.
func (d Document) Key() string { return fmt.Sprintf("%s#%d", d.Template, d.Index) }

var (
	separator = regexp.MustCompile(`^---[ \t]*(#.*)?$`)
	crdKind   = regexp.MustCompile(`(?m)^kind: *["']?CustomResourceDefinition["']? *$`)
)

// cut splits a text at the lines that separate documents. Only lines that begin
// with dashes are matched with the expression, since manifests are long.
func cut(text string) []string {
	var parts []string
	start := 0
	for at := 0; at < len(text); {
		end := len(text)
		if next := strings.IndexByte(text[at:], '\n'); next >= 0 {
			end = at + next
		}
		if line := text[at:end]; strings.HasPrefix(line, "---") && separator.MatchString(line) {
			parts = append(parts, text[start:at])
			start = end
		}
		at = end + 1
	}
	return append(parts, text[start:])
}

// Definition reports whether the document is a CustomResourceDefinition, whose text describes images but never runs one.
func (d Document) Definition() bool {
	return strings.Contains(d.Text, "CustomResourceDefinition") && crdKind.MatchString(d.Text)
}

// Decode reads the manifest, see the function Decode, and returns the duplicate keys of its maps.
func (d Document) Decode() (any, []Duplicate, error) {
	parts, duplicates, err := decode(d.Text)
	if err != nil {
		return nil, nil, fmt.Errorf("template %s renders invalid YAML: %w", d.Template, err)
	}
	if len(parts) == 0 {
		return nil, nil, nil
	}
	return parts[0], duplicates, nil
}

// split splits rendered templates into documents, without empty ones.
func split(texts map[string]string) []Document {
	names := make([]string, 0, len(texts))
	for name := range texts {
		if isManifest(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var documents []Document
	for _, name := range names {
		index := 0
		for _, text := range cut(texts[name]) {
			if blank(text) {
				continue
			}
			documents = append(documents, Document{Template: name, Index: index, Text: text})
			index++
		}
	}
	return documents
}

// blank reports whether a text contains only white space and comments.
func blank(text string) bool {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
