package budget

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// YAML counts the nodes of a YAML or JSON text before it is parsed into a tree: every key and value, and the nodes behind an alias as often as it is
// used, with their bytes. It fails if the budget is exceeded or the text nests too deep. A text that is not valid YAML passes, and so does one with an
// anchor that contains itself: the parser reports them with the line.
func (b *Budget) YAML(name string, text []byte) error {
	most := bound(text)
	if most > b.limits.Nodes {
		return b.tooMany(name)
	}
	if !aliases(text) && nesting(text) <= b.limits.Nesting {
		return b.takeNodes(name, most) // the common case, which needs no tree
	}
	total, err := b.measure(text)
	switch {
	case total.depth > b.limits.Nesting+1: // the document is a node of its own
		return exceeded(name, "its maps and lists nest more than %d levels deep", b.limits.Nesting)
	case err != nil || total.endless:
		total.nodes = most
	}
	if err := b.takeNodes(name, total.nodes); err != nil {
		return err
	}
	if b.copies.Add(max(total.bytes-int64(len(text)), 0)) > b.limits.Copies {
		return exceeded(name, "the aliases in the files read for one run stand for more than %d MiB", b.limits.Copies>>20)
	}
	return nil
}

// measure returns the size of all documents of a text together, and the error of the parser.
func (b *Budget) measure(text []byte) (size, error) {
	decoder, total := yaml.NewDecoder(bytes.NewReader(text)), size{nodes: 1}
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return total, nil
		} else if err != nil {
			return total, err
		}
		one := (&measure{sizes: map[*yaml.Node]size{}, limits: b.limits}).of(&document)
		total = size{
			nodes: total.nodes + one.nodes, bytes: total.bytes + one.bytes, depth: max(total.depth, one.depth), endless: total.endless || one.endless,
		}
	}
}

func (b *Budget) takeNodes(name string, nodes int64) error {
	if nodes > b.limits.Nodes || b.nodes.Add(nodes) > b.limits.Nodes {
		return b.tooMany(name)
	}
	return nil
}

func (b *Budget) tooMany(name string) error {
	return exceeded(name, "the files read for one run hold more than %d keys and values, aliases followed", b.limits.Nodes)
}

// bound returns an upper bound of the number of nodes in a text: each but the first needs a character that begins it or separates it from the one
// before. Comments contain none.
func bound(text []byte) int64 {
	count := int64(1)
	for line := range bytes.Lines(text) {
		count++
		if trimmed := bytes.TrimLeft(line, " "); len(trimmed) > 0 && trimmed[0] == '#' {
			continue
		}
		for i, c := range line {
			switch c {
			case ',', '[', '{', ':':
				count++
			case '-', '?':
				if i+1 == len(line) || line[i+1] <= ' ' {
					count++
				}
			}
		}
	}
	return count
}

// aliases reports whether a text may contain aliases.
func aliases(text []byte) bool {
	return bytes.IndexByte(text, '&') >= 0 && bytes.IndexByte(text, '*') >= 0
}

// nesting returns an upper bound of the nesting depth of a text: each level takes a bracket, or in a block a column, or a dash or question mark at
// the beginning of a line.
func nesting(text []byte) int {
	open, deepest, widest := 0, 0, 0
	for line := range bytes.Lines(text) {
		begins := bytes.TrimLeft(line, " \t-?")
		if len(begins) > 0 && begins[0] != '#' && begins[0] != '\n' {
			widest = max(widest, len(line)-len(begins))
		}
		for _, c := range begins {
			switch c {
			case '[', '{':
				open++
				deepest = max(deepest, open)
			case ']', '}':
				open = max(open-1, 0)
			}
		}
	}
	return deepest + widest
}

// size is the number of nodes, the bytes of their texts and the depth of a tree of nodes; endless is true if an anchor in it contains itself.
type size struct {
	nodes   int64
	bytes   int64
	depth   int
	endless bool
}

// measure computes the sizes of nodes. It computes the size of each anchor once, however often it is used.
type measure struct {
	sizes  map[*yaml.Node]size
	limits Limits
}

func (m *measure) of(node *yaml.Node) size {
	if node.Kind == yaml.AliasNode {
		return m.anchor(node.Alias)
	}
	if node.Anchor != "" {
		return m.anchor(node)
	}
	return m.sum(node)
}

func (m *measure) anchor(node *yaml.Node) size {
	if known, counted := m.sizes[node]; counted {
		return known
	}
	m.sizes[node] = size{endless: true} // until it is counted, a second visit means that the anchor contains itself
	total := m.sum(node)
	m.sizes[node] = total
	return total
}

func (m *measure) sum(node *yaml.Node) size {
	total := size{nodes: 1, bytes: int64(len(node.Value))}
	for _, inner := range node.Content {
		below := m.of(inner)
		if below.endless {
			return size{endless: true}
		}
		total.depth = max(total.depth, below.depth+1)
		// No sum grows beyond the limit.
		total.nodes = min(total.nodes+below.nodes, m.limits.Nodes+1)
		total.bytes = min(total.bytes+below.bytes, 2*m.limits.Bytes)
	}
	return total
}
