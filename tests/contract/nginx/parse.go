// Package nginx reads what an nginx configuration does with a request: its locations, their directives, and where a URI is routed to.
package nginx

import (
	"regexp"
	"strings"
)

// directive is an nginx directive, with the directives in its block.
type directive struct {
	words []string
	block []directive
	open  bool // open is true if there is a block, even an empty one.
}

func (d directive) name() string { return d.words[0] }

func (d directive) rest() string { return strings.Join(d.words[1:], " ") }

var (
	templated = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	// a comment, a quoted text, punctuation, or a word; braces of ${variable} belong to the word
	token = regexp.MustCompile(`#[^\n]*|"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|[{};]|(?:\$\{\w+\}|[^\s{};"'#\\]|\\.)+`)
)

func parse(text string) []directive {
	tokens := token.FindAllString(templated.ReplaceAllString(text, "X"), -1)
	all, _ := parseBlock(tokens)
	return all
}

// parseBlock reads directives up to the brace that closes their block, and returns the tokens after it.
func parseBlock(tokens []string) (all []directive, after []string) {
	var words []string
	for len(tokens) > 0 {
		next := tokens[0]
		tokens = tokens[1:]
		switch {
		case strings.HasPrefix(next, "#"):
		case next == "}":
			return all, tokens
		case next == ";" || next == "{":
			made := directive{words: words, open: next == "{"}
			if made.open {
				made.block, tokens = parseBlock(tokens)
			}
			if len(words) > 0 {
				all = append(all, made)
			}
			words = nil
		default:
			words = append(words, unquote(next))
		}
	}
	return all, nil
}

func unquote(word string) string {
	if len(word) > 1 && (word[0] == '"' || word[0] == '\'') && word[len(word)-1] == word[0] {
		return word[1 : len(word)-1]
	}
	return word
}
