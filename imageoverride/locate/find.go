package locate

import (
	"sort"
	"strings"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/render"
)

// Location is one image reference in a manifest.
type Location struct {
	Field Field
	// Start and End delimit the reference in Field.Value, in bytes.
	Start, End int
	Image      mapping.Image
	// Rule says why this counts as an image.
	Rule string
}

// Text is the reference as rendered.
func (l Location) Text() string { return l.Field.Value[l.Start:l.End] }

// Problem is an image field whose content cannot be read as an image.
type Problem struct {
	Field  Field
	Reason string
}

// Found is what a set of manifests holds.
type Found struct {
	Locations []Location
	Problems  []Problem
}

// Index reads documents and keeps what it read, since most documents are the
// same from render to render. It is not safe for concurrent use.
type Index struct {
	fields map[render.Document][]Field
}

// NewIndex makes an empty Index.
func NewIndex() *Index { return &Index{fields: map[render.Document][]Field{}} }

// Fields flattens one document; definitions of custom resources have none.
func (x *Index) Fields(document render.Document) ([]Field, error) {
	if fields, ok := x.fields[document]; ok {
		return fields, nil
	}
	if document.Definition() {
		return nil, nil
	}
	fields, err := Fields(document, func(key string) string { return key })
	if err != nil {
		return nil, err
	}
	x.fields[document] = fields
	return fields, nil
}

// Find finds the images of all documents. The hosts are registries besides the
// public ones that make a reference in free text count as an image.
func (x *Index) Find(documents []render.Document, hosts []string) (Found, error) {
	var all []Field
	for _, document := range documents {
		fields, err := x.Fields(document)
		if err != nil {
			return Found{}, err
		}
		all = append(all, fields...)
	}
	known := knowledge{hosts: map[string]bool{}, texts: map[string]bool{}}
	for host := range publicHosts {
		known.hosts[host] = true
	}
	for _, host := range hosts {
		known.hosts[host] = true
	}
	var found Found
	rest := make([]Field, 0, len(all))
	for _, field := range all {
		start, end, rule := match(field)
		if rule == "" {
			rest = append(rest, field)
			continue
		}
		text := field.Value[start:end]
		image, err := mapping.Parse(text)
		switch {
		case err == nil:
			found.Locations = append(found.Locations, Location{Field: field, Start: start, End: end, Image: image, Rule: rule})
			known.hosts[image.Host] = true
			if image.Suffix() != "" {
				known.texts[text] = true
			}
		case field.Key == "image" && strings.TrimSpace(text) != "":
			found.Problems = append(found.Problems, Problem{Field: field, Reason: "the text is not an image reference"})
		default:
			rest = append(rest, field)
		}
	}
	for _, field := range rest {
		found.Locations = append(found.Locations, known.inText(field)...)
	}
	sort.SliceStable(found.Locations, func(a, b int) bool { return before(found.Locations[a], found.Locations[b]) })
	return found, nil
}

func before(a, b Location) bool {
	if a.Field.Object.Template != b.Field.Object.Template {
		return a.Field.Object.Template < b.Field.Object.Template
	}
	if a.Field.Object.Index != b.Field.Object.Index {
		return a.Field.Object.Index < b.Field.Object.Index
	}
	if a.Field.Path != b.Field.Path {
		return a.Field.Path < b.Field.Path
	}
	return a.Start < b.Start
}
