// Package postrender replaces images in rendered manifests, for images that no value reaches: as a Helm post-renderer, or with a kustomize component.
package postrender

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/budget"
)

// Plan returns the target of an image; false for images that are not changed.
type Plan func(mapping.Image) (target string, ok bool)

// FromPairs returns the plan of a mirror table. A target has no tag if the reference has neither tag nor digest.
func FromPairs(pairs []mapping.Pair) Plan {
	targets := map[string]string{}
	for _, pair := range pairs {
		targets[pair.Source] = pair.Target
	}
	return func(image mapping.Image) (string, bool) {
		target, ok := targets[image.Pinned()]
		if ok && image.Suffix() == "" {
			target = strings.TrimSuffix(target, ":latest")
		}
		return target, ok
	}
}

// Apply replaces the images of one document and counts them. It returns a
// document without such images unchanged.
func Apply(index *locate.Index, document chartrender.Document, hosts []string, plan Plan) (text string, count int, err error) {
	found, err := index.Find([]chartrender.Document{document}, hosts)
	if err != nil {
		return "", 0, err
	}
	edits := map[string]map[string]string{} // top path -> image text -> target
	encoded := map[string]bool{}
	parts := map[string]string{} // path -> new text of a part of an image
	for _, location := range found.Locations {
		target, ok := plan(location.Image)
		if !ok || target == location.Text() {
			continue
		}
		if location.Field.Composite != nil {
			for path, text := range partsOf(location, target) {
				parts[path] = text
			}
			count++
			continue
		}
		path, _, _ := strings.Cut(location.Field.Path, " > ")
		if edits[path] == nil {
			edits[path] = map[string]string{}
		}
		edits[path][location.Text()] = target
		encoded[path] = location.Field.Encoded()
		count++
	}
	if count == 0 {
		return document.Text, 0, nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(document.Text), &root); err != nil {
		return "", 0, fmt.Errorf("manifest of %s: %w", document.Template, err)
	}
	visit(&root, "", func(path string, scalar *yaml.Node) {
		if text, ok := parts[path]; ok {
			scalar.Value = text
			return
		}
		if images, ok := edits[path]; ok {
			scalar.Value = replaceIn(scalar.Value, encoded[path], images)
		}
	})
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&root); err != nil {
		return "", 0, fmt.Errorf("manifest of %s: %w", document.Template, err)
	}
	return "\n" + out.String(), count, nil
}

// partsOf returns the new texts of the fields of a composite image, by path. It
// returns nil for maps inside texts: the proof reports their images as outside.
func partsOf(location locate.Location, target string) map[string]string {
	field := location.Field
	if strings.Contains(field.Path, " > ") {
		return nil
	}
	texts, ok := field.Composite.Split(target)
	if !ok {
		return nil
	}
	paths := map[string]string{}
	for key, text := range texts {
		paths[field.Path+"."+strings.ReplaceAll(key, ".", `\.`)] = text
	}
	return paths
}

// replaceIn replaces references in a text, which may be encoded.
func replaceIn(text string, encoded bool, images map[string]string) string {
	if plain, ok := locate.Decode(text); encoded && ok {
		return locate.Encode(Replace(plain, images))
	}
	return Replace(text, images)
}

// visit calls do for all scalars with their paths, in the notation of package locate.
func visit(node *yaml.Node, path string, do func(path string, scalar *yaml.Node)) {
	switch node.Kind {
	case yaml.DocumentNode:
		for _, child := range node.Content {
			visit(child, path, do)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := strings.ReplaceAll(node.Content[i].Value, ".", `\.`)
			if path != "" {
				key = path + "." + key
			}
			visit(node.Content[i+1], key, do)
		}
	case yaml.SequenceNode:
		for i, child := range node.Content {
			visit(child, fmt.Sprintf("%s[%d]", path, i), do)
		}
	case yaml.AliasNode:
		visit(node.Alias, path, do)
	case yaml.ScalarNode:
		do(path, node)
	}
}

// textAt returns the scalar at a path of a document, empty if there is none.
func textAt(document chartrender.Document, path string) string {
	var root yaml.Node
	if yaml.Unmarshal([]byte(document.Text), &root) != nil {
		return ""
	}
	found := ""
	visit(&root, "", func(at string, scalar *yaml.Node) {
		if at == path {
			found = scalar.Value
		}
	})
	return found
}

var token = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._:/@-]*`)

// Replace replaces whole references in a text. Longer references take precedence
// over shorter ones they begin with.
func Replace(text string, images map[string]string) string {
	return token.ReplaceAllStringFunc(text, func(word string) string {
		known := make([]string, 0, len(images))
		for image := range images {
			known = append(known, image)
		}
		sort.Slice(known, func(a, b int) bool { return len(known[a]) > len(known[b]) })
		for _, image := range known {
			at := strings.LastIndex(word, "://")
			start := at + len("://")
			if at < 0 {
				start = 0
			}
			rest, ok := strings.CutPrefix(word[start:], image)
			if ok && strings.Trim(rest, ".:/@-_") == "" {
				return word[:start] + images[image] + rest
			}
		}
		return word
	})
}

var separator = regexp.MustCompile(`(?m)^---[ \t]*(#.*)?$`)

// maxInput is the maximum number of bytes of manifests; Helm stores a release in one Secret of 1 MiB, compressed.
const maxInput = 32 << 20

// Stream replaces the images of all documents from in and writes them to out.
// It returns how many were replaced.
func Stream(in io.Reader, out io.Writer, plan Plan) (int, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("manifests cannot be read: %w", err)
	case len(data) > maxInput:
		return 0, fmt.Errorf("the manifests have more than %d MiB", maxInput>>20)
	}
	parts := separator.Split(string(data), -1)
	if len(parts) > chartrender.MaxManifests {
		return 0, fmt.Errorf("the input has more than %d manifests", chartrender.MaxManifests)
	}
	left := budget.New(budget.Limits{Bytes: maxInput, Nodes: 2_000_000, Copies: 8 << 20, Nesting: 200})
	index := locate.NewIndex()
	total := 0
	var texts []string
	for i, text := range parts {
		name := fmt.Sprintf("document %d of the input", i+1)
		if err := left.YAML(name, []byte(text)); err != nil {
			return 0, err
		}
		changed, count, err := Apply(index, chartrender.Document{Template: name, Text: text}, nil, plan)
		if err != nil {
			return 0, err
		}
		total += count
		texts = append(texts, changed)
	}
	if _, err := io.WriteString(out, strings.Join(texts, "---")); err != nil {
		return 0, fmt.Errorf("manifests cannot be written: %w", err)
	}
	return total, nil
}
