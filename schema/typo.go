package schema

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/internal/valueschema"
)

// shortest is the minimum length of a key for which a key that differs by one letter is a typo rather than a different word.
const shortest = 6

// refuseTypos makes an open map reject the keys that differ by one letter from one of its own, with a message that names that key: such a map accepts
// any other key, and a typo would not be detected.
func refuseTypos(node Node) {
	properties, _ := node["properties"].(Node)
	known := slices.Sorted(maps.Keys(properties))
	refused := Node{}
	for _, key := range known {
		if len(key) >= shortest {
			refused[typos(key, known)] = Node{"const": valueschema.TypoSentence(key)}
		}
	}
	if len(refused) > 0 {
		node["patternProperties"] = refused
	}
}

// typos returns a pattern of the words that differ from a word by one letter that is missing, different or superfluous, or by two letters that are
// swapped. No known word matches it, including the word itself. It does not need lookahead, which Go's regular expressions lack.
func typos(word string, known []string) string {
	var forms []string
	add := func(form string) {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	for i := range len(word) + 1 {
		add(withLetter(word[:i], word[i:], known))
		if i == len(word) {
			break
		}
		add(withLetter(word[:i], word[i+1:], known))
		if missing := word[:i] + word[i+1:]; !slices.Contains(known, missing) {
			add(regexp.QuoteMeta(missing))
		}
		if i+1 < len(word) {
			if swapped := word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]; !slices.Contains(known, swapped) {
				add(regexp.QuoteMeta(swapped))
			}
		}
	}
	return "^(" + strings.Join(forms, "|") + ")$"
}

// withLetter returns a pattern of one letter between two parts of a word, such that it matches no known word.
func withLetter(before, after string, known []string) string {
	var not string
	for _, other := range known {
		if len(other) == len(before)+1+len(after) && strings.HasPrefix(other, before) && strings.HasSuffix(other, after) {
			if letter := other[len(before) : len(before)+1]; letter == "-" {
				not += `\-`
			} else {
				not += letter
			}
		}
	}
	letter := "."
	if not != "" {
		letter = "[^" + not + "]"
	}
	return regexp.QuoteMeta(before) + letter + regexp.QuoteMeta(after)
}
