package cleantext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/cleantext"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "",
		"plain, ünïcode, 日本語, 👩‍💻": "plain, ünïcode, 日本語, 👩‍💻",
		"\x1b[31mred":                `\x1b[31mred`,
		"a\nb\r\tc":                  `a\nb\r\tc`,
		"\u009b2J":                   `\u009b2J`,
		"abc\u202ecba":               `abc\u202ecba`,
		"a\u2028b\ufeffc":            `a\u2028b\ufeffc`,
		"a\xffb":                     `a\xffb`,
		"tag \U000e0041":             `tag \U000e0041`,
		"::stop-commands::x":         `\::stop-commands::x`,
		"  ::error::x":               `\  ::error::x`,
		"##vso[task.setvariable]x":   `#\#vso[task.setvariable]x`,
		"a ##[stop-commands]x":       `a #\#[stop-commands]x`,
		"a ###teamcity[x] b ##[c]":   `a ##\#teamcity[x] b #\#[c]`,
		"std::string and C## remain": "std::string and C## remain",
		"## a heading":               "## a heading",

		"Get https://me:secret@example.com/x failed":  "Get https://example.com/x failed",
		"oci://token@a and http://b:c@d@e":            "oci://a and http://e",
		"ssh://git@example.com/x":                     "ssh://git@example.com/x",
		"oci://example.com:5000/x@sha256:0, me@a.com": "oci://example.com:5000/x@sha256:0, me@a.com",
		"https://a\n:b@c":                             `https://c`,
		"a real \ufffd stays":                         "a real \ufffd stays",
	} {
		assert.Equal(t, want, cleantext.Line(text), "%q", text)
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a\n\tb\n\\::error::c\\x1b", cleantext.Block("a\n\tb\n::error::c\x1b"))
	assert.Equal(t, "a\n\tb", cleantext.Block("a\n\tb"))
}

func TestArgument(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"acc-1.x/y@z:1": "acc-1.x/y@z:1",
		"":              "''",
		"a b":           "'a b'",
		"$(rm -rf ~)":   "'$(rm -rf ~)'",
		"it's":          `'it'\''s'`,
		"a\nb":          `'a\nb'`,
		"`x`;y":         "'`x`;y'",
	} {
		assert.Equal(t, want, cleantext.Argument(text), "%q", text)
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.com/values.yaml":            "https://example.com/values.yaml",
		"https://user:secret@example.com/x":          "https://example.com/x",
		"https://user:se/cret@example.com/x":         "https://example.com/x",
		"https://user:se@cr%et@example.com/x":        "https://example.com/x",
		"https://example.com/x?private_token=secret": "https://example.com/x?...",
		"oci://example.com:5000/x@sha256:abc":        "oci://example.com:5000/x@sha256:abc",
		"user:secret@example.com":                    "example.com",
		"https://example.com/\x1b[31m":               `https://example.com/\x1b[31m`,
	} {
		got := cleantext.URL(text)
		assert.Equal(t, want, got, "%q", text)
		assert.NotContains(t, got, "secret")
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const text = "{\n  \"a\": \"\u009b2J \u202e ##[x] \U000e0041 ü\"\n}\n"
	got := cleantext.JSON(text)
	assert.Equal(t, "{\n  \"a\": \"\\u009b2J \\u202e #\\u0023[x] \\udb40\\udc41 ü\"\n}\n", got)
	assert.JSONEq(t, text, got)
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b\n::x::\u202e\xff")
	f.Add("a ##[b] ##vso[c] https://a:b@c/d")
	f.Fuzz(func(t *testing.T, text string) {
		got := cleantext.Line(text)
		assert.NotContains(t, got, "##[", text)
		assert.NotContains(t, got, "##vso[", text)
		assert.NotContains(t, got, "://a:b@", text)
		assert.True(t, utf8.ValidString(got), text)
		assert.Negative(t, strings.IndexFunc(got, unicode.IsControl), text)
		assert.False(t, strings.HasPrefix(strings.TrimSpace(got), "::"), text)
		again := cleantext.Line(got)
		assert.Equal(t, got, again, text)
	})
}

func TestShort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "short": "short", strings.Repeat("ä", 200): strings.Repeat("ä", 200), strings.Repeat("ä", 201): strings.Repeat("ä", 200) + "...",
		strings.Repeat("\xff", 1000): strings.Repeat("\xff", 200) + "...",
	} {
		assert.Equal(t, want, cleantext.Short(text))
	}
}
