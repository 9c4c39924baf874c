// Package webpagetest checks the guarantees of pages of package webpage: one file that loads nothing, runs only the script that its
// Content-Security-Policy allows, and can be used with a keyboard and a screen reader. Tests that need a browser are in tests/e2e/browser.
package webpagetest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Golden asserts that a page, into which a test has put hostile text, has no faults, runs and shows nothing of that text, and is that of a file; update writes
// the file.
func Golden(t *testing.T, update bool, file, page string) {
	t.Helper()
	assert.Empty(t, Faults(page))
	for _, raw := range []string{"<script>alert", "<img", "\x1b", "\u202e"} {
		assert.False(t, strings.Contains(page, raw), "the page contains %q", raw)
	}
	if update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), page, "go test -update writes it")
}

// Faults returns one sentence for each guarantee that a page violates.
func Faults(page string) []string {
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	c := checker{ids: map[string]int{}, count: map[atom.Atom]int{}}
	for node := range document.Descendants() {
		if node.Type == html.ElementNode {
			c.element(node)
		}
	}
	for _, target := range c.targets {
		if c.ids[target] != 1 {
			c.fault("a link points to #%s, an ID that %d elements have", target, c.ids[target])
		}
	}
	for _, one := range []atom.Atom{atom.Html, atom.Title, atom.H1, atom.Header, atom.Main, atom.Footer, atom.Style, atom.Script} {
		if c.count[one] != 1 {
			c.fault("there are %d elements %s", c.count[one], one)
		}
	}
	for _, source := range []string{"style-src '" + digest(c.style), "script-src '" + digest(c.script)} {
		if !strings.Contains(c.policy, source) {
			c.fault("the policy %q does not have %s", c.policy, source)
		}
	}
	if !strings.HasPrefix(c.policy, "default-src 'none';") {
		c.fault("the policy %q allows more than it names", c.policy)
	}
	return c.faults
}

type checker struct {
	policy, style, script string
	ids                   map[string]int
	targets               []string
	count                 map[atom.Atom]int
	heading               int
	faults                []string
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checker) element(node *html.Node) {
	c.count[node.DataAtom]++
	if slices.Contains([]string{"link", "img", "iframe", "object", "embed", "base", "svg", "video", "audio"}, node.Data) {
		c.fault("the element %s may load something", node.Data)
	}
	for _, attribute := range node.Attr {
		c.attribute(node, attribute)
	}
	switch node.DataAtom {
	case atom.Style:
		c.style = text(node)
	case atom.Script:
		c.script = text(node)
	case atom.Html:
		if attr(node, "lang") == "" {
			c.fault("the page does not declare its language")
		}
	case atom.Input:
		if node.Parent.DataAtom != atom.Label {
			c.fault("an input has no label")
		}
	case atom.Th:
		if attr(node, "scope") == "" {
			c.fault("a heading of a table has no scope")
		}
	case atom.H1, atom.H2, atom.H3, atom.H4:
		level := int(node.Data[1] - '0')
		if level > c.heading+1 {
			c.fault("a heading %s follows one of level %d", node.Data, c.heading)
		}
		c.heading = level
	}
}

func (c *checker) attribute(node *html.Node, attribute html.Attribute) {
	switch {
	case strings.HasPrefix(attribute.Key, "on"), attribute.Key == "style":
		c.fault("%s has the attribute %s", node.Data, attribute.Key)
	case attribute.Key == "src", attribute.Key == "action", attribute.Key == "srcset":
		c.fault("%s requests %s", node.Data, attribute.Val)
	case attribute.Key == "id":
		c.ids[attribute.Val]++
	case attribute.Key == "href":
		target, within := strings.CutPrefix(attribute.Val, "#")
		if !within {
			c.fault("a link points to %s", attribute.Val)
		}
		c.targets = append(c.targets, target)
	case attribute.Key == "content" && attr(node, "http-equiv") == "Content-Security-Policy":
		c.policy = attribute.Val
	}
}

func attr(node *html.Node, key string) string {
	for _, attribute := range node.Attr {
		if attribute.Key == key {
			return attribute.Val
		}
	}
	return ""
}

func text(node *html.Node) string {
	if node.FirstChild == nil {
		return ""
	}
	return node.FirstChild.Data
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
