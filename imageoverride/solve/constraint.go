package solve

import (
	"slices"
	"sort"
	"strings"

	"gitops-runtime/imageoverride/locate"
)

// atom is a stretch of an image: literal text of a template, or a variable.
type atom struct {
	variable string // Key of the variable; empty for literal text
	text     string
	at       int // offset in the field, in bytes
}

// constraint describes the components of a stretch of rendered text, and its target.
type constraint struct {
	locations []int
	// readings are the ways to read the stretch: by the innermost variables
	// first, then by the outermost, which differ for values that are templates.
	readings [][]atom
	// variants are readings of the rendered text when unset values are set.
	variants []variant
	target   string
	// private reports whether the images are already at their targets.
	private bool
}

// buildConstraints creates the constraints of one field: its images, each with the variables that extend beyond it.
func buildConstraints(locations []int, all []locate.Location, spans []span, variables []Variable, targets []string) []constraint {
	value := all[locations[0]].Field.Value
	var constraints []constraint
	for at := 0; at < len(locations); {
		start, end := all[locations[at]].Start, all[locations[at]].End
		next := at + 1
		for grown := true; grown; {
			grown = false
			for _, s := range spans {
				if s.start < end && start < s.end && (s.start < start || s.end > end) && isInnermost(s, spans) {
					start, end, grown = min(start, s.start), max(end, s.end), true
				}
			}
			for next < len(locations) && all[locations[next]].Start < end {
				end, grown = max(end, all[locations[next]].End), true
				next++
			}
		}
		group := locations[at:next]
		var target strings.Builder
		from := start
		private := true
		for _, i := range group {
			target.WriteString(value[from:all[i].Start] + targets[i])
			from = all[i].End
			private = private && targets[i] == all[i].Text()
		}
		target.WriteString(value[from:end])
		constraints = append(constraints, constraint{
			locations: append([]int{}, group...), target: target.String(), private: private,
			readings: readBothWays(value, start, end, spans, variables),
		})
		at = next
	}
	return constraints
}

// isInnermost reports whether a span that extends beyond an image is an innermost one; a span that contains others is only used if those are not
// sufficient.
func isInnermost(outer span, spans []span) bool {
	for _, s := range spans {
		if s != outer && s.start >= outer.start && s.end <= outer.end && s.end > s.start {
			return false
		}
	}
	return true
}

func readBothWays(value string, start, end int, spans []span, variables []Variable) [][]atom {
	inner := readAtoms(value, start, end, pickSpans(spans, start, end, true), variables)
	outer := readAtoms(value, start, end, pickSpans(spans, start, end, false), variables)
	if slices.Equal(inner, outer) {
		return [][]atom{inner}
	}
	return [][]atom{inner, outer}
}

// pickSpans selects spans within a stretch that do not overlap: the innermost or
// the outermost ones.
func pickSpans(spans []span, start, end int, innermost bool) []span {
	var picked []span
	for i, s := range spans {
		if s.start < start || s.end > end || s.start == s.end {
			continue
		}
		hidden := false
		for j, other := range spans {
			if i == j || other.start < start || other.end > end || other.start == other.end {
				continue
			}
			contains := other.start <= s.start && s.end <= other.end
			within := s.start <= other.start && other.end <= s.end
			if innermost {
				hidden = hidden || within && (!contains || j > i)
			} else {
				hidden = hidden || contains && (!within || j < i)
			}
		}
		if !hidden {
			picked = append(picked, s)
		}
	}
	sort.Slice(picked, func(a, b int) bool { return picked[a].start < picked[b].start })
	return picked
}

func readAtoms(value string, start, end int, spans []span, variables []Variable) []atom {
	var atoms []atom
	at := start
	for _, s := range spans {
		if s.start > at {
			atoms = append(atoms, atom{text: value[at:s.start], at: at})
		}
		atoms = append(atoms, atom{variable: variables[s.variable].Key(), text: value[s.start:s.end], at: s.start})
		at = s.end
	}
	if at < end {
		atoms = append(atoms, atom{text: value[at:end], at: at})
	}
	return atoms
}
