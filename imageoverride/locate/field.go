// Package locate finds image references in rendered manifests: it flattens
// every manifest to fields, descends into strings that hold YAML or JSON, and
// recognises images by where they stand.
package locate

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/imageoverride/render"
)

// Object says which manifest a field is in.
type Object struct {
	// Template and Index are the place in the chart.
	Template string
	Index    int
	// APIVersion, Kind, Namespace and Name are those of the manifest; Namespace
	// is often empty.
	APIVersion, Kind, Namespace, Name string
}

// String is "Kind/name", with the namespace if there is one.
func (o Object) String() string {
	if o.Namespace != "" {
		return o.Kind + "/" + o.Namespace + "/" + o.Name
	}
	return o.Kind + "/" + o.Name
}

// Field is one string in a manifest.
type Field struct {
	Object Object
	// Path leads to the string; " > " marks the step into YAML or JSON held
	// in a string.
	Path string
	// Key is the last map key on the path, Parent the one before it.
	Key, Parent string
	// Name is the "name" next to the string in the same map.
	Name string
	// Previous is the string before this one in the same list.
	Previous string
	// InList tells an item of a list.
	InList bool
	Value  string
}

// ID identifies a field across renders of one chart.
func (f Field) ID() string { return fmt.Sprintf("%s#%d %s", f.Object.Template, f.Object.Index, f.Path) }

// maxDepth bounds YAML in strings in YAML in strings.
const maxDepth = 4

// Fields flattens a manifest in a stable order. The keys of maps go through
// clean first.
func Fields(document render.Document, clean func(string) string) ([]Field, error) {
	content, err := document.Decode()
	if err != nil {
		return nil, err
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
	return f.fields, nil
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
	case map[any]any:
		plain := make(map[string]any, len(typed))
		for key, value := range typed {
			plain[fmt.Sprint(key)] = value
		}
		f.walkMap(plain, at, depth)
	case []any:
		previous := ""
		for i, item := range typed {
			next := at
			next.Path = fmt.Sprintf("%s[%d]", at.Path, i)
			next.InList, next.Previous, next.Name = true, previous, ""
			f.walk(item, next, depth)
			previous, _ = item.(string)
		}
	case string:
		f.text(typed, at, depth)
	}
}

func (f *flattener) walkMap(m map[string]any, at Field, depth int) {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(a, b int) bool { return f.clean(keys[a]) < f.clean(keys[b]) })
	name, _ := m["name"].(string)
	for _, key := range keys {
		next := Field{Object: at.Object, Path: at.Path, Key: f.clean(key), Parent: at.Key, Name: f.clean(name)}
		if next.Path != "" && !strings.HasSuffix(next.Path, " > ") {
			next.Path += "."
		}
		next.Path += strings.ReplaceAll(next.Key, ".", `\.`)
		f.walk(m[key], next, depth)
	}
}

// text adds a string, or the strings of the YAML or JSON it holds.
func (f *flattener) text(text string, at Field, depth int) {
	if f.object.Kind == "Secret" && at.Parent == "data" && depth == 0 {
		if plain, ok := Decode(text); ok {
			text, depth = plain, 1
			at.Path += encoded
		}
	}
	if depth < maxDepth && structured(text) {
		if parts, ok := documents(text); ok {
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

// structured tells strings worth reading as YAML: several lines or brackets,
// and something in them that may be an image.
func structured(text string) bool {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || !strings.Contains(trimmed, ":") {
		return false
	}
	if !strings.Contains(trimmed, "\n") && trimmed[0] != '{' && trimmed[0] != '[' && !strings.Contains(trimmed, ": ") {
		return false
	}
	lower := strings.ToLower(trimmed)
	if strings.Contains(lower, "image") || strings.Contains(lower, "@sha256:") {
		return true
	}
	for host := range publicHosts {
		if strings.Contains(lower, host) {
			return true
		}
	}
	return false
}

// documents reads a text as YAML whose documents are all maps or lists.
func documents(text string) ([]any, bool) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var parts []any
	for {
		var part any
		err := decoder.Decode(&part)
		if errors.Is(err, io.EOF) {
			return parts, len(parts) > 0
		}
		if err != nil {
			return nil, false
		}
		switch part.(type) {
		case map[string]any, map[any]any, []any, nil:
			parts = append(parts, part)
		default:
			return nil, false
		}
	}
}
