package helmvalues

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
	loader "sigs.k8s.io/yaml"
)

// position is a position in a YAML text; lines and columns count from 1.
type position struct{ line, column int }

// Oddity is valid YAML in a values file that is probably a mistake.
type Oddity struct {
	// Repeated is the path of a key that is defined twice in its map, "" if the oddity is a second document.
	Repeated string
	// Place is its position; First is the first position of the key.
	Place, First Place
}

// Oddities returns the oddities of the files, in their order.
func (v *Values) Oddities() []Oddity { return v.oddities }

// positions maps every path of a YAML text to the position of its key, or of the item in a list. Aliases are followed and merge keys resolved: a value
// that comes from an anchor has the anchor's position. A text that cannot be read returns an empty map; the code that loads the text reports the error.
func positions(text []byte) (map[string]position, []Oddity) {
	w := &walker{found: map[string]position{}, known: map[*yaml.Node]bool{}}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, further yaml.Node
	if decoder.Decode(&document) != nil || len(document.Content) == 0 {
		return w.found, nil
	}
	w.walk(document.Content[0], "", 0)
	if bytes.Contains(text, []byte("\n---")) && decoder.Decode(&further) == nil && len(further.Content) > 0 && further.Content[0].Tag != "!!null" {
		w.oddities = append(w.oddities, Oddity{Place: Place{Line: further.Content[0].Line, Column: further.Content[0].Column}})
	}
	return w.found, w.oddities
}

// maxDepth limits the walk, because an anchor can contain itself.
const maxDepth = 100

// walker visits the nodes of a document.
type walker struct {
	found    map[string]position
	oddities []Oddity
	// known are the mappings whose keys were checked; an anchor is walked again wherever it is used.
	known map[*yaml.Node]bool
}

func (w *walker) walk(node *yaml.Node, path string, depth int) {
	if depth > maxDepth {
		return
	}
	switch node.Kind {
	case yaml.AliasNode:
		w.walk(node.Alias, path, depth+1)
	case yaml.MappingNode:
		w.mapping(node, path, depth)
	case yaml.SequenceNode:
		for i, item := range node.Content {
			at := Index(path, i)
			w.found[at] = position{item.Line, item.Column}
			w.walk(item, at, depth+1)
		}
	}
}

// mapping visits merged mappings first, so that the mapping's own keys win, as YAML specifies.
func (w *walker) mapping(node *yaml.Node, path string, depth int) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Tag == "!!merge" {
			w.merge(node.Content[i+1], path, depth)
		}
	}
	own, looked := map[string]position{}, w.known[node]
	w.known[node] = true
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Tag == "!!merge" {
			continue
		}
		name := keyName(key)
		at, spot := Join(path, name), position{key.Line, key.Column}
		if first, again := own[name]; again && !looked {
			w.oddities = append(w.oddities, Oddity{Repeated: at, Place: spot.place(at), First: first.place(at)})
		}
		own[name], w.found[at] = spot, spot
		w.walk(node.Content[i+1], at, depth+1)
	}
}

// switches contains the unquoted words that Helm's YAML parser reads as booleans, and newer parsers as strings.
const switches = " y yes on n no off "

// keyName returns the name of a key in the tree: Helm converts keys that are not strings to strings, so that on becomes true and 0x10 becomes 16.
func keyName(key *yaml.Node) string {
	quoted := key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	odd := key.Tag != "!!str" || strings.Contains(switches, " "+strings.ToLower(key.Value)+" ")
	if quoted || !odd {
		return key.Value
	}
	named := map[string]any{}
	if loader.Unmarshal([]byte(key.Value+": 0"), &named) == nil && len(named) == 1 {
		for name := range named {
			return name
		}
	}
	return key.Value
}

func (p position) place(path string) Place {
	return Place{Value: path, Line: p.line, Column: p.column}
}

// merge visits the mappings that a merge key refers to: one, or a list of which the first wins.
func (w *walker) merge(node *yaml.Node, path string, depth int) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.SequenceNode {
		w.walk(node, path, depth+1)
		return
	}
	for i := len(node.Content) - 1; i >= 0; i-- {
		w.walk(node.Content[i], path, depth+1)
	}
}
