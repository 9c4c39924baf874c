// Package commands reads the commands and the YAML in pages, so that tests can check them with the programs, charts and schemas.
package commands

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Block is a fenced block of a page: its language, the text without the page's indentation, and the line of its fence.
type Block struct {
	Language, Text string
	Line           int
}

// Command is one simple command of a shell: its words, without variables and redirections, and the line of the page.
type Command struct {
	Words []string
	Line  int
}

var fence = regexp.MustCompile("^( *)```([a-z]*)")

// Blocks returns the fenced blocks of a page, and each block that is indented by four spaces, which has the language "console" if it shows commands.
func Blocks(page string) []Block {
	var blocks []Block
	var open *Block
	indent := ""
	for number, line := range strings.Split(page, "\n") {
		marked := fence.FindStringSubmatch(line)
		switch {
		case open != nil && marked != nil:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent) + "\n"
		case marked != nil:
			open, indent = &Block{Language: marked[2], Line: number + 1}, marked[1]
		case strings.HasPrefix(line, "    ") && shows(line):
			blocks = append(blocks, Block{Language: "sh", Text: strings.TrimSpace(line) + "\n", Line: number})
		}
	}
	return blocks
}

// shows reports whether an indented line is a command of a program that pages show without a fence.
func shows(line string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return slices.Contains([]string{"validate-values", "image-override", "kubectl", "helm", "make"}, first)
}

// Commands returns the commands of a block. In a console they begin with "$ " and continue after a backslash; the rest of it is output.
func (b Block) Commands() ([]Command, error) {
	if b.Language == "console" {
		return parse(prompted(b.Text), b.Line)
	}
	return parse(b.Text, b.Line)
}

// prompted returns the typed commands of a console, with the other lines empty.
func prompted(text string) string {
	lines := strings.Split(text, "\n")
	continued := false
	for i, line := range lines {
		typed, ok := strings.CutPrefix(line, "$ ")
		switch {
		case ok:
			lines[i] = typed
		case !continued:
			lines[i] = ""
		}
		continued = (ok || continued) && strings.HasSuffix(line, `\`)
	}
	return strings.Join(lines, "\n")
}

// placeholder is what a reader replaces, as in <account id>.
var placeholder = regexp.MustCompile(`<[A-Za-z][^<>\n]*>`)

func parse(text string, line int) ([]Command, error) {
	text = placeholder.ReplaceAllString(text, "placeholder")
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("the block at line %d is not valid shell: %w", line, err)
	}
	var found []Command
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if ok && len(call.Args) > 0 {
			found = append(found, Command{Words: words(call.Args), Line: line + 1 + strings.Count(text[:call.Pos().Offset()], "\n")})
		}
		return true
	})
	return found, nil
}

// words returns the texts of words, with "placeholder" for what the shell would expand.
func words(args []*syntax.Word) []string {
	var all []string
	for _, arg := range args {
		all = append(all, word(arg.Parts))
	}
	return all
}

func word(parts []syntax.WordPart) string {
	var text strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(strings.NewReplacer("\\\n", "", `\`, "").Replace(part.Value))
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			text.WriteString(word(part.Parts))
		default:
			text.WriteString("placeholder")
		}
	}
	return text.String()
}

// Flag returns the values of a flag, given by any of its names, as in "--set a=b" and "--set=a=b".
func (c Command) Flag(names ...string) []string {
	var values []string
	for i, word := range c.Words {
		for _, name := range names {
			if value, joined := strings.CutPrefix(word, name+"="); joined {
				values = append(values, value)
			} else if word == name && i+1 < len(c.Words) {
				values = append(values, c.Words[i+1])
			}
		}
	}
	return values
}

// String returns the command on one line.
func (c Command) String() string {
	return strings.Join(c.Words, " ")
}
