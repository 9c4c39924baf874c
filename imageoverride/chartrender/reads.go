package chartrender

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// Reads contains the values that templates name.
type Reads struct {
	// Paths are the keys of values from the root, such as "sub", "image", "registry".
	Paths [][]string
	// Defaults are the texts that templates use if a value is not set, with the path of the value.
	Defaults []Default
	// Printed are the paths of values that templates print.
	Printed [][]string
	// Names are the keys that templates read from any map, such as "registry".
	Names map[string]bool
}

// Default is a text that a template uses if a value is not set.
type Default struct {
	Path []string
	Text string
}

// reads collects Reads from parsed templates. It does not contain what templates
// read by other means, such as a computed key.
type reads struct {
	paths    map[string][]string
	defaults map[string]Default
	printed  map[string]bool
	names    map[string]bool
}

func newReads() *reads {
	return &reads{paths: map[string][]string{}, defaults: map[string]Default{}, printed: map[string]bool{}, names: map[string]bool{}}
}

func (r *reads) all() Reads {
	keys := slices.Sorted(maps.Keys(r.paths))
	all := Reads{Names: r.names}
	for _, key := range keys {
		all.Paths = append(all.Paths, r.paths[key])
		if text, ok := r.defaults[key]; ok {
			all.Defaults = append(all.Defaults, text)
		}
		if r.printed[key] {
			all.Printed = append(all.Printed, r.paths[key])
		}
	}
	return all
}

func (r *reads) note(root *template.Template) {
	for _, t := range root.Templates() {
		if t.Tree == nil || t.Root == nil {
			continue
		}
		v := reader{reads: r, prefix: ChartKeys(t.Tree.ParseName), variables: map[string][]string{}}
		v.list(t.Root, nil)
	}
}

// ChartKeys returns the keys of the values of a template's chart, by the name of
// the template: "root/charts/sub/templates/x.yaml" reads below "sub".
func ChartKeys(name string) []string {
	dir, _, found := strings.Cut(name, "/templates/")
	if !found {
		return nil
	}
	var keys []string
	parts := strings.Split(dir, "/")
	for i := 1; i+1 < len(parts); i += 2 {
		if parts[i] != "charts" {
			return nil
		}
		keys = append(keys, parts[i+1])
	}
	return keys
}

// reader walks one template. The dot is the path of the values it refers to, nil if that is not known.
type reader struct {
	*reads
	prefix    []string
	variables map[string][]string
}

func (r *reader) list(list *parse.ListNode, dot []string) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch typed := node.(type) {
		case *parse.ActionNode:
			if path := r.pipe(typed.Pipe, dot); path != nil && len(typed.Pipe.Decl) == 0 {
				r.printed[strings.Join(path, "\x00")] = true
			}
		case *parse.TemplateNode:
			r.pipe(typed.Pipe, dot)
		case *parse.IfNode:
			r.pipe(typed.Pipe, dot)
			r.list(typed.List, dot)
			r.list(typed.ElseList, dot)
		case *parse.WithNode:
			r.list(typed.List, r.pipe(typed.Pipe, dot))
			r.list(typed.ElseList, dot)
		case *parse.RangeNode:
			r.pipe(typed.Pipe, dot)
			r.list(typed.List, nil)
			r.list(typed.ElseList, dot)
		}
	}
}

// pipe records what a pipeline reads and returns the path it refers to, if there is one.
func (r *reader) pipe(pipe *parse.PipeNode, dot []string) []string {
	if pipe == nil {
		return nil
	}
	var path []string
	for i, command := range pipe.Cmds {
		before := path
		path = r.command(command, dot)
		if i > 0 {
			r.addDefault(command, before)
			path = nil
			if isCall(command, "default", "quote", "toString", "trim") {
				path = before // the result contains the value
			}
		}
	}
	for _, variable := range pipe.Decl {
		if path != nil && len(pipe.Decl) == 1 {
			r.variables[variable.Ident[0]] = path
		}
	}
	return path
}

func (r *reader) command(command *parse.CommandNode, dot []string) []string {
	paths := make([][]string, len(command.Args))
	var texts []string
	for i, argument := range command.Args {
		paths[i] = r.argument(argument, dot)
		if text, ok := argument.(*parse.StringNode); ok {
			r.name(text.Text)
			texts = append(texts, text.Text)
		}
	}
	if len(paths) == 1 {
		return paths[0]
	}
	if len(paths) == 3 {
		r.addDefault(command, paths[2])
	}
	if isCall(command, "coalesce", "or") && len(texts) > 0 {
		for _, path := range paths[1:] {
			if path != nil {
				r.defaults[strings.Join(path, "\x00")] = Default{Path: path, Text: texts[len(texts)-1]}
			}
		}
	}
	called, ok := command.Args[0].(*parse.IdentifierNode)
	if !ok {
		return nil
	}
	switch called.Ident {
	case "index", "get":
		if paths[1] != nil && len(texts) == len(command.Args)-2 {
			return r.path(append(append([]string{}, paths[1]...), texts...))
		}
	case "dig":
		if base := paths[len(paths)-1]; base != nil && len(texts) >= 1 {
			keys := texts
			if len(texts) == len(command.Args)-2 {
				keys = texts[:len(texts)-1] // the last is the default
			}
			return r.path(append(append([]string{}, base...), keys...))
		}
	case "default", "coalesce", "required", "toYaml", "tpl", "deepCopy", "mergeOverwrite", "merge":
		return nil
	}
	return nil
}

func isCall(command *parse.CommandNode, names ...string) bool {
	called, ok := command.Args[0].(*parse.IdentifierNode)
	return ok && slices.Contains(names, called.Ident)
}

// addDefault records the text that "default" returns if a value is not set.
func (r *reader) addDefault(command *parse.CommandNode, path []string) {
	if path == nil || len(command.Args) < 2 || !isCall(command, "default") {
		return
	}
	if text, ok := command.Args[1].(*parse.StringNode); ok {
		r.defaults[strings.Join(path, "\x00")] = Default{Path: path, Text: text.Text}
	}
}

func (r *reader) argument(node parse.Node, dot []string) []string {
	switch typed := node.(type) {
	case *parse.FieldNode:
		return r.chain(dot, typed.Ident, true)
	case *parse.VariableNode:
		if typed.Ident[0] == "$" {
			return r.chain(nil, typed.Ident[1:], true)
		}
		return r.chain(r.variables[typed.Ident[0]], typed.Ident[1:], false)
	case *parse.ChainNode:
		return r.chain(r.argument(typed.Node, dot), typed.Field, false)
	case *parse.DotNode:
		return dot
	case *parse.PipeNode:
		return r.pipe(typed, dot)
	}
	return nil
}

// chain records and returns the path of keys below a base, or below the values of the chart.
func (r *reader) chain(base []string, keys []string, mayBeRoot bool) []string {
	for i, key := range keys {
		r.name(key)
		if key == "Values" && mayBeRoot {
			return r.path(append(append([]string{}, r.prefix...), keys[i+1:]...))
		}
	}
	if base == nil {
		return nil
	}
	return r.path(append(append([]string{}, base...), keys...))
}

func (r *reader) path(path []string) []string {
	for _, key := range path {
		if key == "" {
			return nil
		}
	}
	r.paths[strings.Join(path, "\x00")] = path
	return path
}

var keyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,60}$`)

func (r *reads) name(text string) {
	if keyForm.MatchString(text) {
		r.names[text] = true
	}
}
