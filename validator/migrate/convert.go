package migrate

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/internal/dropped"
)

// placed is content with the path at which it belongs.
type placed struct {
	path    dropped.Path
	content *yaml.Node
}

// converted returns what a renamed value becomes under its new name, and which part of it that name does not take; nothing if the value only repeats
// what happens anyway.
func converted(value dropped.Value, content *yaml.Node) (list []placed, left string) {
	from, becomes, constant := strings.Cut(value.As, "=")
	switch {
	case constant && content.Value == from:
		return []placed{{value.Renamed, &yaml.Node{Kind: yaml.ScalarNode, Value: becomes}}}, ""
	case constant, value.As == "filled" && content.Value == "":
		return nil, ""
	case value.As == "text" && content.Kind == yaml.ScalarNode:
		content.Tag, content.Style = "!!str", yaml.DoubleQuotedStyle
	case value.As == "seconds" && number.MatchString(content.Value):
		content = &yaml.Node{Kind: yaml.ScalarNode, Value: content.Value + "s", LineComment: content.LineComment}
	case content.Kind != yaml.SequenceNode:
	case value.As == "first", value.As == "hosts":
		return firstOf(value, content.Content)
	case value.As == "keyed":
		content = byName(content)
	}
	return []placed{{value.Renamed, content}}, ""
}

var number = regexp.MustCompile(`^[0-9]+$`)

// firstOf places the first item of a list; of hosts, the others become extraHosts next to it.
func firstOf(value dropped.Value, items []*yaml.Node) (list []placed, left string) {
	if len(items) == 0 {
		return nil, ""
	}
	list = []placed{{value.Renamed, items[0]}}
	switch {
	case len(items) == 1:
		return list, ""
	case value.As == "first":
		return list, "Only its first item"
	}
	more := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range items[1:] {
		more.Content = append(more.Content, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "name"}, item}})
	}
	beside := append(append(dropped.Path{}, value.Renamed[:len(value.Renamed)-1]...), "extraHosts")
	return append(list, placed{beside, more}), ""
}

// byName turns a list of maps with a name into a map by name. A list with other items stays as it is.
func byName(list *yaml.Node) *yaml.Node {
	named := &yaml.Node{Kind: yaml.MappingNode, HeadComment: list.HeadComment}
	for _, item := range list.Content {
		if item.Kind == yaml.AliasNode {
			item = clone(item.Alias, 0)
			item.Anchor = ""
		}
		at := -1
		if item.Kind == yaml.MappingNode {
			at = position(item, "name")
		}
		if at < 0 || position(named, item.Content[at+1].Value) >= 0 {
			return list
		}
		rest := *item
		rest.Content = append(append([]*yaml.Node{}, item.Content[:at]...), item.Content[at+2:]...)
		named.Content = append(named.Content, item.Content[at+1], &rest)
	}
	return named
}
