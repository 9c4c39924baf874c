package solve

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gitops-runtime/internal/helmvalues"
)

// Variable is a part of a values leaf that can get a new text.
type Variable struct {
	// Path is the path of the leaf.
	Path helmvalues.Path
	// Start and End delimit the part in the leaf's text, in bytes.
	Start, End int
	// Text is the current text of the part; for a template, its source.
	Text string
	// Whole reports whether the part is the entire leaf.
	Whole bool
	// Strong reports whether the leaf almost certainly belongs to an image.
	Strong bool
}

// Key identifies a variable across scenarios.
func (v Variable) Key() string {
	if v.Whole {
		return v.Path.String()
	}
	return fmt.Sprintf("%s{%d:%s}", v.Path, v.Start, v.Text)
}

// span is a stretch of rendered text that a variable produced.
type span struct {
	variable   int
	start, end int
}

const maxVariables = 99999

var marks = regexp.MustCompile(`xq([0-9]{5})([oc])`)

func opening(variable int) string { return fmt.Sprintf("xq%05do", variable) }
func closing(variable int) string { return fmt.Sprintf("xq%05dc", variable) }

// markLeaf marks the chosen parts of a leaf's text, which are indexes of all.
func markLeaf(text string, all []Variable, chosen []int) string {
	ordered := append([]int{}, chosen...)
	sort.Slice(ordered, func(a, b int) bool { return all[ordered[a]].Start > all[ordered[b]].Start })
	for _, id := range ordered {
		v := all[id]
		if v.Whole {
			text = opening(id) + text + closing(id)
			continue
		}
		text = text[:v.Start] + opening(id) + text[v.Start:v.End] + closing(id) + text[v.End:]
	}
	return text
}

// unmark removes the marks from a text and returns the spans that they enclosed, outer before inner ones. It returns false for marks without a
// counterpart.
func unmark(text string) (string, []span, bool) {
	if !strings.Contains(text, "xq") {
		return text, nil, true
	}
	var plain strings.Builder
	var spans []span
	var open []int
	at := 0
	for _, found := range marks.FindAllStringSubmatchIndex(text, -1) {
		plain.WriteString(text[at:found[0]])
		at = found[1]
		id, _ := strconv.Atoi(text[found[2]:found[3]])
		if text[found[4]:found[5]] == "o" {
			open = append(open, len(spans))
			spans = append(spans, span{variable: id, start: plain.Len(), end: -1})
			continue
		}
		if len(open) == 0 || spans[open[len(open)-1]].variable != id {
			return "", nil, false
		}
		spans[open[len(open)-1]].end = plain.Len()
		open = open[:len(open)-1]
	}
	plain.WriteString(text[at:])
	return plain.String(), spans, len(open) == 0
}

// clean removes the marks from a text, whether they are paired or not.
func clean(text string) string {
	if !strings.Contains(text, "xq") {
		return text
	}
	return marks.ReplaceAllString(text, "")
}
