package render

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"text/template"
	"text/template/parse"
)

// coverFunc is the function that instrumented templates call; it prints
// nothing.
const coverFunc = "imageOverrideCover"

// coverage notes which template actions that speak of images were executed.
type coverage struct {
	sites []string // "template:line" by number
	known map[string]int
	hit   map[int]bool
}

func newCoverage() *coverage { return &coverage{known: map[string]int{}, hit: map[int]bool{}} }

func (c *coverage) execute(site int) string {
	c.hit[site] = true
	return ""
}

// unseen lists the sites that were never executed, sorted.
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

// instrument puts a call of coverFunc before every action that speaks of an
// image. Of definitions with one name only the last is there to be executed.
func (c *coverage) instrument(root *template.Template) error {
	for _, t := range root.Templates() {
		if t.Tree == nil || t.Root == nil || strings.HasSuffix(t.Tree.ParseName, "NOTES.txt") {
			continue
		}
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

// call makes the node that notes a site.
func (c *coverage) call(tree *parse.Tree, at parse.Node) (parse.Node, error) {
	location, _ := tree.ErrorContext(at)
	if cut := strings.LastIndex(location, ":"); cut > 0 {
		location = location[:cut]
	}
	number, ok := c.known[location]
	if !ok {
		number = len(c.sites)
		c.known[location] = number
		c.sites = append(c.sites, location)
	}
	text := fmt.Sprintf("{{%s %d}}", coverFunc, number)
	trees, err := parse.Parse("cover", text, "", "", map[string]any{coverFunc: c.execute})
	if err != nil {
		return nil, fmt.Errorf("instrument %s: %w", location, err)
	}
	return trees["cover"].Root.Nodes[0], nil
}
