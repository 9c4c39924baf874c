package solve

import (
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"gitops-runtime/internal/helmvalues"
)

// Candidates returns the parts of leaves that may produce one of the images: leaves equal to components of an image, single-line templates, and
// images inside longer strings.
func Candidates(leaves []helmvalues.Leaf, images []string) []Variable {
	parts := map[string]bool{}
	for _, image := range images {
		for _, part := range components(image) {
			parts[part] = true
		}
	}
	needles := embeddable(images)
	var all []Variable
	for _, leaf := range leaves {
		if _, isBool := leaf.Value.(bool); isBool {
			continue
		}
		text, ok := leaf.Text()
		if !ok || text == "" {
			continue
		}
		if parts[text] || strings.Contains(text, "{{") && !strings.Contains(text, "\n") {
			all = append(all, Variable{Path: leaf.Path, End: len(text), Text: text, Whole: true, Strong: strong(leaf.Path, text)})
		}
		if _, isText := leaf.Value.(string); isText && !parts[text] {
			all = append(all, embedded(leaf.Path, text, needles)...)
		}
		if len(all) > maxVariables {
			return all[:maxVariables]
		}
	}
	return all
}

// imageKey matches keys that indicate an image or a part of one.
var imageKey = regexp.MustCompile(`(?i)^(.*image.*|registry|repository|repo|hub|tag|digest|version)$`)

// strong reports whether a leaf almost certainly belongs to an image, unlike one whose text merely occurs in one, such as the name "redis".
func strong(path helmvalues.Path, text string) bool {
	if strings.Contains(text, "{{") {
		return imageKey.MatchString(path.Key())
	}
	if strings.ContainsAny(text, "/@") {
		return true
	}
	for _, step := range path {
		if imageKey.MatchString(step.Key) {
			return true
		}
	}
	return false
}

// components returns all sequences of whole components of a reference: host, path elements, name, tag, digest and their combinations.
func components(image string) []string {
	cuts := []int{0}
	for i, r := range image {
		if r == '/' || r == ':' || r == '@' {
			cuts = append(cuts, i, i+1)
		}
	}
	cuts = append(cuts, len(image))
	var parts []string
	for a := range cuts {
		for b := a + 1; b < len(cuts); b++ {
			part := image[cuts[a]:cuts[b]]
			if strings.Trim(part, "/:@") != "" {
				parts = append(parts, part)
				parts = append(parts, strings.TrimPrefix(part, "v"))
			}
		}
	}
	return parts
}

// embeddable returns the texts to find inside longer strings, longest first:
// images that are more than a bare word, and names with a slash.
func embeddable(images []string) []string {
	set := map[string]bool{}
	for _, image := range images {
		if strings.ContainsAny(image, "/:") {
			set[image] = true
		}
		name := image
		if at := strings.Index(name, "@"); at >= 0 {
			name = name[:at]
			set[name] = true
		}
		if at := strings.LastIndex(name, ":"); at > strings.LastIndex(name, "/") {
			name = name[:at]
		}
		if strings.Contains(name, "/") {
			set[name] = true
		}
	}
	needles := slices.Sorted(maps.Keys(set))
	slices.SortStableFunc(needles, func(a, b string) int { return len(b) - len(a) })
	return needles
}

// embedded returns the occurrences of needles in a longer text, without overlaps; the needles are sorted by length, longest first.
func embedded(path helmvalues.Path, text string, needles []string) []Variable {
	if !strings.ContainsAny(text, "/:") {
		return nil
	}
	var found []Variable
	for _, needle := range needles {
		for at := 0; ; {
			i := strings.Index(text[at:], needle)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(needle)
			at = end
			if !inReference(text, start, end) && !overlaps(found, start, end) {
				found = append(found, Variable{Path: path, Start: start, End: end, Text: needle, Strong: true})
			}
		}
	}
	sort.Slice(found, func(a, b int) bool { return found[a].Start < found[b].Start })
	return found
}

// inReference reports whether a stretch is only a part of a longer word.
func inReference(text string, start, end int) bool {
	word := func(b byte) bool {
		return b == '-' || b == '_' || b == '.' || b == '/' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	before := start > 0 && word(text[start-1]) && !strings.HasSuffix(text[:start], "://")
	after := end < len(text) && word(text[end]) && text[end] != '.'
	return before || after
}

func overlaps(found []Variable, start, end int) bool {
	return slices.ContainsFunc(found, func(v Variable) bool { return start < v.End && v.Start < end })
}
