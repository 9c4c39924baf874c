package chartrender

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
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

// defaultImage matches a line of a definition with a default that may be an image.
var defaultImage = regexp.MustCompile(`^[ \t-]*["']?(default|[a-zA-Z]*[iI]mage|repository)["']?: *(\{.*[iI]mage.*:|["']?[a-z0-9][a-z0-9._-]*(:[0-9]+)?(/[^\s"']*)?:[^\s"'/]+["']? *$|["']?[a-z0-9-]+\.[a-z0-9.-]+/[a-z0-9._-]+/[a-z0-9._/-]+["']? *$)`)

// DefaultImages reports whether a CustomResourceDefinition may have images as defaults, which a program that reads such objects runs. Definitions are
// long, so that only lines with such a key are matched.
func (d Document) DefaultImages() bool {
	if !strings.Contains(d.Text, "default") {
		return false
	}
	for line := range strings.SplitSeq(d.Text, "\n") {
		key, value, _ := strings.Cut(line, ":")
		if strings.ContainsAny(value, ":/") && (strings.Contains(key, "default") || strings.Contains(key, "mage") || strings.Contains(key, "repository")) && defaultImage.MatchString(line) {
			return true
		}
	}
	return false
}

// Unrendered reports whether the document is a file of crds/, which Helm installs as it is.
func (d Document) Unrendered() bool {
	_, rest, found := strings.Cut(d.Template, "/crds/")
	return found && !strings.Contains(d.Template, "/templates/") && rest != ""
}

// crds returns the files of crds/ that may have images as defaults.
func (i interned) crds(c *chart.Chart) []Document {
	var all []Document
	for _, object := range c.CRDObjects() {
		for index, text := range cut(string(object.File.Data)) {
			one := Document{Template: object.Filename, Index: index, Text: i.one(text)}
			if one.DefaultImages() && one.Definition() {
				all = append(all, one)
			}
		}
	}
	return all
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

// interned contains one copy of each text of a manifest.
type interned map[string]string

// one returns the copy of a text.
func (i interned) one(text string) string {
	known, ok := i[text]
	if !ok {
		known = strings.Clone(text)
		i[known] = known
	}
	return known
}

// split splits rendered templates into documents, without empty ones. Equal texts of several renders, such as long definitions, share their memory.
func (i interned) split(texts map[string]string) []Document {
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
			documents = append(documents, Document{Template: name, Index: index, Text: i.one(text)})
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
