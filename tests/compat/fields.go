package compat

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// fields are the values of an object's fields, by path. The path of a list item contains its name, that of an argument its flag; other items share
// one path, so that an inserted item is one change. Strings that contain YAML or several lines are split too.
type fields map[string][]string

// objects are the fields of rendered objects, by kind and name.
type objects map[string]fields

// reader parses rendered templates and caches the documents.
type reader struct{ known sync.Map }

// document is a parsed object.
type document struct {
	name, namespace string
	fields          fields
}

// read returns the objects of rendered templates.
func (r *reader) read(rendered map[string]string) (objects, error) {
	all := objects{}
	for _, template := range slices.Sorted(maps.Keys(rendered)) {
		for text := range strings.SplitSeq("\n"+rendered[template], "\n---") {
			if strings.TrimSpace(text) == "" {
				continue
			}
			found, ok := r.known.Load(text)
			if !ok {
				parsed, err := readDocument(text)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", template, err)
				}
				r.known.Store(text, parsed)
				found = parsed
			}
			one := found.(document)
			if one.fields == nil {
				continue
			}
			name := one.name
			if all[name] != nil {
				name += "@" + one.namespace
			}
			all[name] = one.fields
		}
	}
	return all, nil
}

// large is the size above which the spec of an object, such as a CustomResourceDefinition, is compared by checksum.
const large = 50_000

func readDocument(text string) (document, error) {
	head, specification := text, ""
	if at := strings.Index(text, "\nspec:\n"); len(text) > large && at > 0 {
		head, specification = text[:at], text[at:]
	}
	var object map[string]any
	if err := yaml.Unmarshal([]byte(head), &object); err != nil {
		return document{}, fmt.Errorf("a rendered document is not valid YAML: %w:\n%s", err, head)
	}
	if len(object) == 0 {
		return document{}, nil
	}
	metadata, _ := object["metadata"].(map[string]any)
	kind := fmt.Sprint(object["kind"])
	parsed := document{name: fmt.Sprintf("%s/%v", kind, metadata["name"]), namespace: fmt.Sprint(metadata["namespace"]), fields: fields{}}
	delete(object, "kind")
	delete(metadata, "name")
	for key, value := range object {
		if texts, ok := value.(map[string]any); ok && (key == "data" || key == "stringData") && (kind == "ConfigMap" || kind == "Secret") {
			for name, text := range texts {
				parsed.fields.text(kind == "Secret" && key == "data", member(key, name), fmt.Sprint(text))
			}
			continue
		}
		parsed.fields.add(key, value)
	}
	if specification != "" {
		parsed.fields["spec"] = []string{fmt.Sprintf("%x", sha256.Sum256([]byte(specification)))[:8]}
	}
	for _, values := range parsed.fields {
		slices.Sort(values)
	}
	return parsed, nil
}

// text adds the content of a string, decoded if it is the data of a Secret.
func (f fields) text(encoded bool, path, text string) {
	if encoded {
		if plain, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(plain)
		}
	}
	trimmed := strings.TrimSpace(text)
	if below := structure(path, trimmed); below != nil {
		f.add(path, below)
		return
	}
	for line := range strings.SplitSeq(trimmed, "\n") {
		f.put(path, line)
	}
}

// structure returns the map or the list that a string contains, or nil.
func structure(path, text string) any {
	var below any
	var err error
	switch {
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["): // YAML that is not JSON may begin with these, too
		err = json.Unmarshal([]byte(text), &below)
	case strings.Contains(text, "\n"), strings.HasSuffix(path, ".yaml]"):
		err = yaml.Unmarshal([]byte(text), &below)
	}
	switch below.(type) {
	case map[string]any, []any:
		if err == nil {
			return below
		}
	}
	return nil
}

func (f fields) put(path string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte(err.Error())
	}
	f[path] = append(f[path], string(text))
}

// add adds a value and its children.
func (f fields) add(path string, value any) {
	switch at := value.(type) {
	case map[string]any:
		if len(at) == 0 {
			f.put(path, at)
		}
		for key, below := range at {
			f.add(member(path, key), below)
		}
	case []any:
		f.list(path, at)
	case string:
		if strings.Contains(strings.TrimSpace(at), "\n") {
			f.text(false, path, at)
		} else {
			f.put(path, at)
		}
	default:
		f.put(path, value)
	}
}

func (f fields) list(path string, items []any) {
	if len(items) == 0 {
		f.put(path, items)
		return
	}
	names := namesOf(items)
	for i := 0; i < len(items); i++ {
		flag, isText := items[i].(string)
		switch {
		case names != nil:
			f.add(fmt.Sprintf("%s[%s]", path, names[i]), items[i])
		case isText && strings.HasPrefix(flag, "--"):
			name, value, given := strings.Cut(flag, "=")
			if i+1 < len(items) && !given {
				if next, ok := items[i+1].(string); ok && !strings.HasPrefix(next, "-") {
					value = next
					i++
				}
			}
			f.put(fmt.Sprintf("%s[%s]", path, name), value)
		default:
			f.add(path+"[]", items[i])
		}
	}
}

// namesOf returns unique names of the items of a list, or nil.
func namesOf(items []any) []string {
	for _, key := range []string{"name", "mountPath"} {
		var names []string
		for _, item := range items {
			of, _ := item.(map[string]any)
			if name, ok := of[key].(string); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) == len(items) {
			return names
		}
	}
	return nil
}

// member returns the path of a key in the map at a path.
func member(path, key string) string {
	if strings.ContainsAny(key, "./ :") || key == "" {
		return fmt.Sprintf("%s[%s]", path, key)
	}
	return path + "." + key
}
