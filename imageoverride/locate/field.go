// Package locate finds image references in rendered manifests: it flattens every manifest to fields, descends into strings that contain YAML or JSON,
// and recognizes images by their position.
package locate

import (
	"fmt"
	"sort"
	"strings"

	"gitops-runtime/imageoverride/chartrender"
)

// Object identifies the manifest of a field.
type Object struct {
	// Template and Index are those of the document.
	Template string
	Index    int
	// APIVersion, Kind, Namespace and Name are those of the manifest; Namespace
	// is often empty.
	APIVersion, Kind, Namespace, Name string
}

// String returns "Kind/name", or "Kind/namespace/name" if there is a namespace.
func (o Object) String() string {
	if o.Namespace != "" {
		return o.Kind + "/" + o.Namespace + "/" + o.Name
	}
	return o.Kind + "/" + o.Name
}

// Field is one scalar in a manifest.
type Field struct {
	Object Object
	// Path is the path of the string; " > " marks the step into YAML or JSON in a string.
	Path string
	// Key is the last map key on the path, Parent the one before it.
	Key, Parent string
	// Name is the "name" next to the string in the same map.
	Name string
	// Previous is the string before this one in the same list.
	Previous string
	// InList reports whether it is an item of a list.
	InList bool
	Value  string
	// Literal reports whether it is a scalar other than a string, or an empty map or list.
	Literal bool
	// Incomplete reports whether it is the name of an image whose repository, beside it, is empty, or absent where it is set for others.
	Incomplete bool
	// named reports whether it is the name of a map that is an image in several fields without it.
	named bool
	// among reports whether a map beside this one has a repository and the name of an image below it.
	among bool
	// Versioned reports whether it is the repository in a map with a version that is neither about code nor about a chart.
	Versioned bool
	// Variables are those of the container of a variable.
	Variables *Variables
	// Composite is set for an image in several fields of a map: Path is the path of the map, and Value the reference that the fields form.
	Composite *Composite
}

// InText reports whether it is a field of a ConfigMap, a Secret, or of YAML in a string.
func (f Field) InText() bool {
	return strings.Contains(f.Path, " > ") || f.Object.Kind == "ConfigMap" || f.Object.Kind == "Secret"
}

// ID identifies a field across renders of one chart.
func (f Field) ID() string { return fmt.Sprintf("%s#%d %s", f.Object.Template, f.Object.Index, f.Path) }

// maxDepth limits the nesting of YAML in strings that is parsed.
const maxDepth = 4

// Fields flattens a manifest in a stable order. clean is applied to the keys of maps first.
func Fields(document chartrender.Document, clean func(string) string) ([]Field, error) {
	all, _, err := flatten(document, clean)
	return all, err
}

func flatten(document chartrender.Document, clean func(string) string) ([]Field, []chartrender.Duplicate, error) {
	content, duplicates, err := document.Decode()
	if err != nil {
		return nil, nil, err
	}
	f := flattener{clean: clean, object: Object{Template: document.Template, Index: document.Index}}
	if root, ok := content.(map[string]any); ok {
		f.object.Kind, _ = root["kind"].(string)
		f.object.APIVersion, _ = root["apiVersion"].(string)
		if metadata, ok := root["metadata"].(map[string]any); ok {
			name, _ := metadata["name"].(string)
			namespace, _ := metadata["namespace"].(string)
			f.object.Name, f.object.Namespace = clean(name), clean(namespace)
		}
	}
	f.walk(content, Field{Object: f.object}, 0)
	return f.fields, duplicates, nil
}

type flattener struct {
	object Object
	clean  func(string) string
	fields []Field
}

func (f *flattener) walk(node any, at Field, depth int) {
	switch typed := node.(type) {
	case map[string]any:
		f.walkMap(typed, at, depth)
	case []any:
		previous := ""
		if len(typed) == 0 {
			f.literal("[]", at)
		}
		variables := variablesOf(typed, f.clean)
		for i, item := range typed {
			next := at
			next.Variables = variables
			next.Path = fmt.Sprintf("%s[%d]", at.Path, i)
			next.InList, next.Previous, next.Name = true, previous, ""
			f.walk(item, next, depth)
			previous, _ = item.(string)
		}
	case string:
		f.text(typed, at, depth)
	case chartrender.Literal:
		f.literal(string(typed), at)
	case nil:
		f.literal("null", at)
	}
}

func (f *flattener) literal(text string, at Field) {
	at.Value, at.Literal, at.among = text, true, false
	f.fields = append(f.fields, at)
}

func (f *flattener) walkMap(m map[string]any, at Field, depth int) {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(a, b int) bool { return f.clean(keys[a]) < f.clean(keys[b]) })
	name, _ := m["name"].(string)
	if len(m) == 0 {
		f.literal("{}", at)
	}
	composite, composed := compose(m, at.Key, at.InList, f.clean)
	if composed {
		joined := at
		joined.InList, joined.Previous, joined.Value = false, "", Join(composite.Parts)
		joined.Composite = &composite
		f.fields = append(f.fields, joined)
	}
	among := divides(m)
	for _, key := range keys {
		if composed && composite.holds(f.clean(key)) || key == "_example" && f.object.Kind == "ConfigMap" { // documentation
			continue
		}
		next := Field{Object: at.Object, Path: at.Path, Key: f.clean(key), Parent: at.Key, Name: f.clean(name)}
		next.named = composed && key == "name"
		next.Incomplete = incomplete(m, key) || at.among && m["repository"] == nil && key == "image" && bareName(m[key])
		next.among = among
		version, _, _ := scalar(m["version"])
		next.Versioned = key == "repository" && name == "" && versionLike.MatchString(version) && !aboutCode(m, f.clean, words(at.Key))
		if at.InList {
			next.Variables = at.Variables
		}
		if next.Path != "" && !strings.HasSuffix(next.Path, " > ") {
			next.Path += "."
		}
		next.Path += strings.ReplaceAll(next.Key, ".", `\.`)
		f.walk(m[key], next, depth)
	}
}

// text adds a string, or the strings of the YAML or JSON it contains.
func (f *flattener) text(text string, at Field, depth int) {
	at.among = false
	if f.object.Kind == "Secret" && at.Parent == "data" && depth == 0 {
		if plain, ok := Decode(text); ok {
			text, depth = plain, 1
			at.Path += encoded
		}
	}
	if depth < maxDepth && structured(text) {
		if parts, err := chartrender.Decode(text); err == nil && structures(parts) {
			for i, part := range parts {
				next := at
				next.Path += " > "
				if i > 0 {
					next.Path += fmt.Sprintf("(document %d) ", i+1)
				}
				next.InList, next.Previous, next.Name = false, "", ""
				f.walk(part, next, depth+1)
			}
			return
		}
	}
	at.Value = text
	f.fields = append(f.fields, at)
}

// structured reports whether a string is worth parsing as YAML: several lines or brackets, independent of their content, so that it is parsed in every
// render or in none.
func structured(text string) bool {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || !strings.Contains(trimmed, ":") {
		return false
	}
	if !strings.Contains(trimmed, "\n") && trimmed[0] != '{' && trimmed[0] != '[' && !strings.Contains(trimmed, ": ") {
		return false
	}
	return true
}

// structures reports whether all documents are maps or lists.
func structures(parts []any) bool {
	for _, part := range parts {
		switch part.(type) {
		case map[string]any, []any, nil:
		default:
			return false
		}
	}
	return len(parts) > 0
}
