package locate

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/mapping"
)

// Location is one image reference in a manifest.
type Location struct {
	Field Field
	// Start and End delimit the reference in Field.Value, in bytes.
	Start, End int
	Image      mapping.Image
	// Rule is the reason why this counts as an image.
	Rule string
	// NameOnly reports whether it is a repository to which a program adds the tag: Tag, which is empty if it is not known.
	NameOnly bool
	Tag      string
}

// Text returns the reference as rendered.
func (l Location) Text() string { return l.Field.Value[l.Start:l.End] }

// Problem is an image field whose content cannot be read as an image.
type Problem struct {
	Field  Field
	Reason string
}

// Suspect is a text that may be an image; only the program that reads it knows.
type Suspect struct {
	Location
	Reason string
}

// Found contains the images and doubtful places of a set of manifests.
type Found struct {
	Locations []Location
	Problems  []Problem
	Suspects  []Suspect
}

// Index reads documents and caches the fields that may be images, since most documents are the same from render to render. It is not safe for concurrent
// use.
type Index struct {
	fields     map[chartrender.Document][]Field
	duplicates map[chartrender.Document][]chartrender.Duplicate
	images     map[string]parsed
}

// NewIndex creates an empty Index.
func NewIndex() *Index {
	return &Index{fields: map[chartrender.Document][]Field{}, duplicates: map[chartrender.Document][]chartrender.Duplicate{}, images: map[string]parsed{}}
}

// Fields flattens one document.
func (x *Index) Fields(document chartrender.Document) ([]Field, error) {
	return Fields(document, func(key string) string { return key })
}

// Duplicates returns the keys that occur more than once in a map of the document.
func (x *Index) Duplicates(document chartrender.Document) []chartrender.Duplicate {
	_, _ = x.candidates(document)
	return x.duplicates[document]
}

// candidates returns the fields of a document that may be images.
func (x *Index) candidates(document chartrender.Document) ([]Field, error) {
	if fields, ok := x.fields[document]; ok {
		return fields, nil
	}
	var all []Field
	if !document.Definition() || document.DefaultImages() {
		var duplicates []chartrender.Duplicate
		var err error
		if all, duplicates, err = flatten(document, func(key string) string { return key }); err != nil {
			return nil, err
		}
		if len(duplicates) > 0 {
			x.duplicates[document] = duplicates
		}
	}
	var fields []Field
	for _, field := range all {
		if candidate(field) {
			fields = append(fields, field)
		}
	}
	x.fields[document] = fields
	return fields, nil
}

// definition is the kind whose defaults may be images, and whose other texts only describe them.
const definition = "CustomResourceDefinition"

var inDefault = regexp.MustCompile(`\.default(\.|\[|$)`)

// candidate reports whether any rule may apply to a field.
func candidate(field Field) bool {
	if field.Literal || field.Object.Kind == definition && !inDefault.MatchString(field.Path) {
		return false
	}
	if field.Composite != nil || strings.ContainsAny(field.Value, "/:@=<") || public(field.Value) || coded(field.Value) {
		return true
	}
	for _, place := range places(field) {
		if place.name != silent {
			return true
		}
	}
	return false
}

// Find finds the images of all documents. The hosts are registries in addition to the public ones whose references in free text count as images.
func (x *Index) Find(documents []chartrender.Document, hosts []string) (Found, error) {
	var all []Field
	for _, document := range documents {
		fields, err := x.candidates(document)
		if err != nil {
			return Found{}, err
		}
		all = append(all, fields...)
	}
	known := knowledge{hosts: map[string]bool{}, seen: map[string]bool{}, texts: map[string]bool{}, images: x.images}
	for _, host := range hosts {
		known.hosts[host] = true
	}
	var found Found
	judged := make([]bool, len(all))
	// Certain images come first, because they determine what other texts are.
	for _, certain := range []bool{true, false} {
		for i, field := range all {
			if judged[i] {
				continue
			}
			for _, place := range places(field) {
				if certain != (place.name == itself) {
					continue
				}
				finding, ok := known.judge(place)
				if !ok {
					continue
				}
				judged[i] = true
				known.add(&found, field, finding)
				break
			}
		}
	}
	for i, field := range all {
		if !judged[i] {
			locations, suspects := known.inText(field)
			found.Locations = append(found.Locations, locations...)
			found.Suspects = append(found.Suspects, suspects...)
		}
	}
	slices.SortStableFunc(found.Locations, before)
	return found, nil
}

// add records the finding about a field, and the registry and text of its image for later fields.
func (k knowledge) add(found *Found, field Field, f finding) {
	if f.unread != "" {
		found.Problems = append(found.Problems, Problem{Field: field, Reason: f.unread})
		return
	}
	text := field.Value[f.start:f.end]
	image, _ := k.parse(text) // judge has parsed it
	location := Location{Field: field, Start: f.start, End: f.end, Image: image, Rule: f.rule, NameOnly: f.nameOnly, Tag: f.tag}
	if f.suspected != "" {
		found.Suspects = append(found.Suspects, Suspect{Location: location, Reason: f.suspected})
		return
	}
	found.Locations = append(found.Locations, location)
	if image.Host != "docker.io" || strings.HasPrefix(text, "docker.io/") {
		k.seen[image.Host] = true
	}
	if image.Suffix() != "" {
		k.texts[text] = true
	}
}

func before(a, b Location) int {
	return cmp.Or(strings.Compare(a.Field.Object.Template, b.Field.Object.Template), a.Field.Object.Index-b.Field.Object.Index,
		strings.Compare(a.Field.Path, b.Field.Path), a.Start-b.Start)
}
