// Package cleantext makes untrusted text safe to show in a terminal, in the log of a pipeline and in a report. Values, responses of servers and file
// names may contain control characters that move the cursor, change colors, reorder text, or begin a command of the system that reads the log.
package cleantext

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line sanitizes text for one line: control characters, including line breaks, characters that change the direction of text, and bytes that are not
// UTF-8 become visible escapes such as \x1b or \u202e. Text that a pipeline would interpret as a command ("::stop-commands::", "##[group]", "##vso[",
// "##teamcity[") gets a backslash, and URLs lose user and password. Text without any of these is returned unchanged.
func Line(text string) string { return clean(text, false) }

// Block is Line for text of several lines: it keeps line feeds and tabs, and sanitizes each line separately.
func Block(text string) string { return clean(text, true) }

func clean(text string, lines bool) string {
	if dirty(text, lines) {
		text = visible(text, lines)
	}
	return withoutLogins(withoutCommands(text))
}

func visible(text string, lines bool) string {
	var out strings.Builder
	for i, line := range split(text, lines) {
		if i > 0 {
			out.WriteByte('\n')
		}
		if command(line) {
			out.WriteByte('\\')
		}
		escape(&out, line, lines)
	}
	return out.String()
}

func split(text string, lines bool) []string {
	if lines {
		return strings.Split(text, "\n")
	}
	return []string{text}
}

func dirty(text string, lines bool) bool {
	for _, line := range split(text, lines) {
		if command(line) {
			return true
		}
		for i, letter := range line {
			if unsafe(letter, lines) || letter == utf8.RuneError && broken(line[i:]) {
				return true
			}
		}
	}
	return false
}

// command reports whether GitHub Actions interprets a line as a command: "::name::", with or without spaces before it.
func command(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "::") }

// inLine matches a command that a pipeline recognizes anywhere in a line: "##[name]" of GitHub Actions, "##vso[" of Azure Pipelines, "##teamcity[" of
// TeamCity.
var inLine = regexp.MustCompile(`##([A-Za-z]*\[)`)

func withoutCommands(text string) string {
	if !strings.Contains(text, "##") {
		return text
	}
	return inLine.ReplaceAllString(text, `#\#$1`)
}

// login matches the user, with or without a password, of a URL within a text.
var login = regexp.MustCompile(`://[^\s/?#]*@`)

// withoutLogins removes users and passwords from URLs, except "git@", the well-known user of Git servers.
func withoutLogins(text string) string {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return text
	}
	return login.ReplaceAllStringFunc(text, func(found string) string {
		if found == "://git@" {
			return found
		}
		return "://"
	})
}

func escape(out *strings.Builder, line string, lines bool) {
	for len(line) > 0 {
		letter, width := utf8.DecodeRuneInString(line)
		switch {
		case letter == utf8.RuneError && broken(line):
			fmt.Fprintf(out, `\x%02x`, line[0])
		case !unsafe(letter, lines):
			out.WriteString(line[:width])
		case letter == '\n':
			out.WriteString(`\n`)
		case letter == '\r':
			out.WriteString(`\r`)
		case letter == '\t':
			out.WriteString(`\t`)
		case letter < 0x80:
			fmt.Fprintf(out, `\x%02x`, letter)
		case letter > 0xffff:
			fmt.Fprintf(out, `\U%08x`, letter)
		default:
			fmt.Fprintf(out, `\u%04x`, letter)
		}
		line = line[width:]
	}
}

// broken reports whether a text begins with a byte that is not UTF-8.
func broken(text string) bool {
	_, width := utf8.DecodeRuneInString(text)
	return width <= 1
}

// unsafe reports whether a character has to be escaped: controls (C0, DEL, C1), line and paragraph separators, and invisible format characters, such
// as direction overrides, which all belong to Cf; of these, soft hyphens and the joiners of scripts and emoji are harmless. With lines, tabs are
// safe.
func unsafe(letter rune, lines bool) bool {
	switch letter {
	case '\t':
		return !lines
	case '\u00ad', '\u200c', '\u200d':
		return false
	}
	return unicode.IsControl(letter) || unicode.In(letter, unicode.Cf, unicode.Zl, unicode.Zp)
}

// most is the maximum number of characters of untrusted text that a message quotes.
const most = 200

// Short cuts text that is too long to quote in a message.
func Short(text string) string { return Cut(text, most) }

// ofImage matches user and password before the host of an image reference.
var ofImage = regexp.MustCompile(`^\s*[^\s/@]+:[^\s/@]+@`)

// Image returns the text of an image field or of a row of a table to quote in a message: short, and without a user and a password before the host.
func Image(text string) string {
	found := ofImage.FindString(text)
	if strings.HasPrefix(text[len(found):], "sha256:") { // what is before it is a tag
		found = ""
	}
	return Short(text[len(found):])
}

// Cut returns a text up to a number of characters, and dots in place of the rest.
func Cut(text string, most int) string {
	count := 0
	for at := range text {
		if count++; count > most {
			return text[:at] + "..."
		}
	}
	return text
}

// longest is the maximum number of characters of a line of a message.
const longest = 2000

// Message is Block for the message of an error, which may quote what others wrote: of each line it returns at most 2,000 characters.
func Message(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Cut(line, longest)
	}
	return Block(strings.Join(lines, "\n"))
}

// Argument quotes text for a POSIX shell, so that a command in a message can be pasted. Plain words are returned unchanged.
func Argument(text string) string {
	plain := func(letter rune) bool {
		return letter < 0x80 && (unicode.IsLetter(letter) || unicode.IsDigit(letter) || strings.ContainsRune("-_./:=@%+,", letter))
	}
	if text != "" && strings.IndexFunc(text, func(letter rune) bool { return !plain(letter) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(Line(text), "'", `'\''`) + "'"
}

// JSON replaces unsafe characters and commands of pipelines in a JSON text with JSON escapes, so that every parser reads the same values.
func JSON(text string) string {
	var out strings.Builder
	for _, letter := range inLine.ReplaceAllString(text, `#\u0023$1`) {
		switch {
		case letter == '\n' || !unsafe(letter, true):
			out.WriteRune(letter)
		case letter > 0xffff:
			high, low := utf16.EncodeRune(letter)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, letter)
		}
	}
	return out.String()
}
