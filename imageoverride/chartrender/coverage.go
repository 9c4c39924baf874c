package chartrender

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// coverFunc is the function that instrumented templates call; it prints
// nothing.
const coverFunc = "imageOverrideCover"

// coverage records which template actions that mention images were executed.
type coverage struct {
	sites []string // "template:line" by number
	known map[string]int
	hit   map[int]bool
	done  map[*parse.Tree]bool
}

func newCoverage() *coverage {
	return &coverage{known: map[string]int{}, hit: map[int]bool{}, done: map[*parse.Tree]bool{}}
}

func (c *coverage) execute(site int) string {
	c.hit[site] = true
	return ""
}

// unseen returns the sites that were never executed, sorted.
func (c *coverage) unseen() []string {
	var all []string
	for number, site := range c.sites {
		if !c.hit[number] {
			all = append(all, site)
		}
	}
	sort.Strings(all)
	return all
}

var (
	aboutImages = regexp.MustCompile(`(?i)image`)
	notAnImage  = regexp.MustCompile(`(?i)image_?(pull)?_?(policy|secrets?|registry|enrichment)`)
)

// instrument inserts a call of coverFunc before every action that mentions an image. Of several definitions with the same name only the last is
// executed.
func (c *coverage) instrument(root *template.Template) error {
	for _, t := range root.Templates() {
		if t.Tree == nil || t.Root == nil || strings.HasSuffix(t.Tree.ParseName, "NOTES.txt") || c.done[t.Tree] {
			continue
		}
		c.done[t.Tree] = true
		if err := c.list(t.Tree, t.Root); err != nil {
			return err
		}
	}
	return nil
}

func (c *coverage) list(tree *parse.Tree, list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	nodes := make([]parse.Node, 0, len(list.Nodes))
	for _, node := range list.Nodes {
		var inner []*parse.ListNode
		switch typed := node.(type) {
		case *parse.IfNode:
			inner = []*parse.ListNode{typed.List, typed.ElseList}
		case *parse.WithNode:
			inner = []*parse.ListNode{typed.List, typed.ElseList}
		case *parse.RangeNode:
			inner = []*parse.ListNode{typed.List, typed.ElseList}
			if err := tickFirst(typed.List); err != nil {
				return err
			}
		case *parse.TextNode:
			calls, err := c.text(tree, typed)
			if err != nil {
				return err
			}
			nodes = append(nodes, calls...)
		case *parse.ActionNode:
			if aboutImages.MatchString(notAnImage.ReplaceAllString(typed.String(), "")) {
				call, err := c.call(tree, typed)
				if err != nil {
					return err
				}
				nodes = append(nodes, call)
			}
		}
		for _, each := range inner {
			if err := c.list(tree, each); err != nil {
				return err
			}
		}
		nodes = append(nodes, node)
	}
	list.Nodes = nodes
	return nil
}

// literalImage matches a line of plain text that contains a hard-coded image.
var literalImage = regexp.MustCompile(`(?im)^[^#\n]*image["']?[ \t]*[:=][ \t]*["']?[a-z0-9][^\s"']*`)

// text creates the nodes that record the lines of plain text with hard-coded images.
func (c *coverage) text(tree *parse.Tree, node *parse.TextNode) ([]parse.Node, error) {
	spans := literalImage.FindAllIndex(node.Text, -1)
	if spans == nil {
		return nil, nil
	}
	location, _ := tree.ErrorContext(node)
	parts := strings.Split(location, ":")
	if len(parts) < 3 {
		return nil, nil
	}
	first, err := strconv.Atoi(parts[len(parts)-2])
	if err != nil {
		return nil, nil //nolint:nilerr // a node without a line is not reported
	}
	var calls []parse.Node
	for _, span := range spans {
		line := first + bytes.Count(node.Text[:span[1]], []byte("\n"))
		one, err := c.site(fmt.Sprintf("%s:%d", strings.Join(parts[:len(parts)-2], ":"), line))
		if err != nil {
			return nil, err
		}
		calls = append(calls, one)
	}
	return calls, nil
}

// call creates the node that records an action.
func (c *coverage) call(tree *parse.Tree, at parse.Node) (parse.Node, error) {
	location, _ := tree.ErrorContext(at)
	if cut := strings.LastIndex(location, ":"); cut > 0 {
		location = location[:cut]
	}
	return c.site(location)
}

// site creates the node that records a place "template:line".
func (c *coverage) site(location string) (parse.Node, error) {
	number, ok := c.known[location]
	if !ok {
		number = len(c.sites)
		c.known[location] = number
		c.sites = append(c.sites, location)
	}
	return action(fmt.Sprintf("{{%s %d}}", coverFunc, number))
}

// action parses one call of a function of this package.
func action(text string) (parse.Node, error) {
	trees, err := parse.Parse("instrument", text, "", "", map[string]any{coverFunc: 0, tickFunc: 0})
	if err != nil {
		return nil, fmt.Errorf("instrument %s: %w", text, err)
	}
	return trees["instrument"].Root.Nodes[0], nil
}

// tickFirst inserts a call of tickFunc at the beginning of the body of a loop.
func tickFirst(body *parse.ListNode) error {
	if body == nil {
		return nil
	}
	node, err := action("{{" + tickFunc + "}}")
	if err != nil {
		return err
	}
	body.Nodes = append([]parse.Node{node}, body.Nodes...)
	return nil
}
