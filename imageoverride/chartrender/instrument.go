package chartrender

import (
	"fmt"
	"slices"
	"text/template"
	"text/template/parse"
)

// noteFunc is the function that instrumented templates call with the map they read from; it prints nothing.
const noteFunc = "imageOverrideNote"

// Functions by how they use their arguments. All others are assumed to read the whole content of an argument.
var (
	// passing functions return an argument, or include it in their result.
	passing = names("default", "coalesce", "ternary", "and", "or", "dict", "list", "tuple", "set", "required",
		"merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", printFunc)
	// sequencing functions do so with the items of an argument.
	sequencing = names("concat", "append", "prepend", "first", "last", "rest", "initial", "reverse", "keys", "len")
	// checking functions test whether an argument exists, and its kind.
	checking = names("not", "empty", "kindIs", "kindOf", "typeIs", "typeOf", "hasKey")
)

func names(all ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range all {
		set[name] = true
	}
	return set
}

// instrumenter inserts a call of noteFunc before every node of a template that
// reads from maps.
type instrumenter struct {
	inputs *inputs
	done   map[*parse.Tree]bool
	found  map[string]*pending // of the current node, by base
	order  []string
}

// pending is what one node reads from one base.
type pending struct {
	base parse.Node
	more []parse.Node // maps that contain keys
	site site
}

func (x *instrumenter) instrument(root *template.Template) error {
	for _, t := range root.Templates() {
		if t.Tree == nil || t.Root == nil || x.done[t.Tree] {
			continue
		}
		x.done[t.Tree] = true
		if err := x.list(t.Root); err != nil {
			return err
		}
	}
	return nil
}

func (x *instrumenter) list(list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	nodes := make([]parse.Node, 0, len(list.Nodes))
	for _, node := range list.Nodes {
		x.found, x.order = map[string]*pending{}, nil
		inner := x.node(node)
		calls, err := x.calls()
		if err != nil {
			return err
		}
		nodes = append(append(nodes, calls...), node)
		for _, each := range inner {
			if err := x.list(each); err != nil {
				return err
			}
		}
	}
	list.Nodes = nodes
	return nil
}

// node collects what a node reads and returns the lists below it.
func (x *instrumenter) node(node parse.Node) []*parse.ListNode {
	switch typed := node.(type) {
	case *parse.ActionNode:
		last := typed.Pipe.Cmds[len(typed.Pipe.Cmds)-1]
		if len(typed.Pipe.Decl) == 0 && replaced(last, "toJson", printFunc) {
			x.pipe(typed.Pipe, existence)
			break
		}
		if len(typed.Pipe.Decl) == 0 && len(typed.Pipe.Cmds) == 1 && len(last.Args) == 3 {
			replaced(last, "include", forwardFunc)
		}
		x.pipe(typed.Pipe, resultRead(typed.Pipe))
	case *parse.TemplateNode:
		x.add("", nil).name = typed.Name
		if typed.Pipe != nil {
			x.pipe(typed.Pipe, existence)
		}
	case *parse.IfNode:
		x.pipe(typed.Pipe, existence)
		return []*parse.ListNode{typed.List, typed.ElseList}
	case *parse.WithNode:
		x.pipe(typed.Pipe, existence)
		return []*parse.ListNode{typed.List, typed.ElseList}
	case *parse.RangeNode:
		x.pipe(typed.Pipe, items)
		return []*parse.ListNode{typed.List, typed.ElseList}
	}
	return nil
}

// calls creates the nodes that record the reads.
func (x *instrumenter) calls() ([]parse.Node, error) {
	var all []parse.Node
	for _, key := range x.order {
		one := x.found[key]
		call, err := action(fmt.Sprintf("{{%s %d .}}", noteFunc, len(x.inputs.sites)))
		if err != nil {
			return nil, err
		}
		if command := call.(*parse.ActionNode).Pipe.Cmds[0]; one.base != nil {
			command.Args[2] = one.base
			command.Args = append(command.Args, one.more...)
		}
		x.inputs.sites = append(x.inputs.sites, one.site)
		all = append(all, call)
	}
	return all, nil
}

// add returns the site of a base, which it creates if necessary.
func (x *instrumenter) add(key string, base parse.Node) *site {
	if x.found[key] == nil {
		x.found[key] = &pending{base: base}
		x.order = append(x.order, key)
	}
	return &x.found[key].site
}

// resultRead returns how much of an action's result is read: all of it if it is printed.
func resultRead(pipe *parse.PipeNode) extent {
	if len(pipe.Decl) == 0 {
		return whole
	}
	return existence
}

// pipe collects what a pipeline reads, given how much of its result is read.
func (x *instrumenter) pipe(pipe *parse.PipeNode, how extent) {
	for i := len(pipe.Cmds) - 1; i >= 0; i-- {
		if how == existence && i > 0 && isCall(pipe.Cmds[i-1], "include") && len(pipe.Cmds[i-1].Args) == 3 {
			replaced(pipe.Cmds[i], "fromJson", viewFunc)
		}
		how = x.command(pipe.Cmds[i], how, i > 0)
	}
}

// command collects what a command reads, given how much of its result is read.
// It returns how much of its piped argument is read.
func (x *instrumenter) command(command *parse.CommandNode, how extent, piped bool) extent {
	called, ok := command.Args[0].(*parse.IdentifierNode)
	if !ok {
		for i, argument := range command.Args {
			if i > 0 || len(command.Args) > 1 || piped {
				how = whole
			}
			x.argument(argument, how)
		}
		return whole
	}
	if !piped {
		if base, keys, ok := chainOf(command); ok {
			if called.Ident == "hasKey" {
				how = existence
			}
			x.chain(base, keys, how)
			return whole
		}
	}
	rest := command.Args[1:]
	switch {
	case called.Ident == "pick" && !piped && x.picked(rest, how):
		return whole
	case called.Ident == "include" || called.Ident == "tpl" || called.Ident == forwardFunc:
		for i, argument := range rest {
			if i == 0 {
				x.argument(argument, whole)
				continue
			}
			x.argument(argument, existence)
		}
		if len(rest) == 0 {
			return whole
		}
		return existence
	case checking[called.Ident] && called.Ident != "hasKey":
		how = existence
	case sequencing[called.Ident]:
		how = max(how, items)
	case !passing[called.Ident]:
		how = whole
	}
	for _, argument := range rest {
		x.argument(argument, how)
	}
	return how
}

// replaced makes a command call the function to if it calls the function from, and reports whether it does.
func replaced(command *parse.CommandNode, from, to string) bool {
	if called, ok := command.Args[0].(*parse.IdentifierNode); ok && called.Ident == from {
		command.Args[0] = parse.NewIdentifier(to)
		return true
	}
	return false
}

func (x *instrumenter) argument(node parse.Node, how extent) {
	if base, keys, ok := chainOf(node); ok {
		x.chain(base, keys, how)
		return
	}
	switch typed := node.(type) {
	case *parse.PipeNode:
		x.pipe(typed, how)
	case *parse.ChainNode:
		x.argument(typed.Node, whole)
	}
}

// picked collects what pick reads from a map by constant keys; it returns false for other keys.
func (x *instrumenter) picked(arguments []parse.Node, how extent) bool {
	base, keys, ok := chainOf(arguments[0])
	for _, argument := range arguments[1:] {
		text, isText := argument.(*parse.StringNode)
		if !ok || !isText {
			return false
		}
		defer x.chain(base, append(keys[:len(keys):len(keys)], key{text: text.Text}), how)
	}
	return ok
}

func (x *instrumenter) chain(base parse.Node, keys []key, how extent) {
	if len(keys) == 0 && how == existence {
		return
	}
	one := x.add(base.String(), base)
	one.chains = append(one.chains, chain{keys, how})
	for _, key := range keys {
		if key.from != nil {
			x.more(base, key)
		}
	}
}

// more adds the map that contains a key to what is read from a base.
func (x *instrumenter) more(base parse.Node, k key) {
	waiting := x.found[base.String()]
	for _, node := range waiting.more {
		if node.String() == k.from.String() {
			return
		}
	}
	waiting.more = append(waiting.more, k.from)
	waiting.site.more = append(waiting.site.more, k.from.String())
}

// chainOf returns a node as keys below the dot or a variable, in any notation:
// .a.b, (index .a "b").c, index .a $key
func chainOf(node parse.Node) (base parse.Node, keys []key, ok bool) {
	switch typed := node.(type) {
	case *parse.DotNode:
		return &parse.DotNode{NodeType: parse.NodeDot}, nil, true
	case *parse.FieldNode:
		return &parse.DotNode{NodeType: parse.NodeDot}, keysOf(typed.Ident), true
	case *parse.VariableNode:
		return &parse.VariableNode{NodeType: parse.NodeVariable, Ident: typed.Ident[:1]}, keysOf(typed.Ident[1:]), true
	case *parse.ChainNode:
		base, keys, ok = chainOf(typed.Node)
		return base, slices.Concat(keys, keysOf(typed.Field)), ok
	case *parse.PipeNode:
		if len(typed.Cmds) == 1 && len(typed.Decl) == 0 {
			return chainOf(typed.Cmds[0])
		}
	case *parse.CommandNode:
		return chainOfCommand(typed)
	}
	return nil, nil, false
}

func keysOf(texts []string) []key {
	keys := make([]key, len(texts))
	for i, text := range texts {
		keys[i].text = text
	}
	return keys
}

func chainOfCommand(command *parse.CommandNode) (base parse.Node, keys []key, ok bool) {
	if len(command.Args) == 1 {
		return chainOf(command.Args[0])
	}
	called, isCall := command.Args[0].(*parse.IdentifierNode)
	if !isCall || called.Ident != "index" && called.Ident != "get" && called.Ident != "hasKey" {
		return nil, nil, false
	}
	base, keys, ok = chainOf(command.Args[1])
	for _, argument := range command.Args[2:] {
		next, isKey := keyOf(argument)
		if !isKey {
			return nil, nil, false
		}
		keys = append(keys[:len(keys):len(keys)], next)
	}
	return base, keys, ok
}

// keyOf returns a key that a template contains as a constant or takes from a value.
func keyOf(node parse.Node) (key, bool) {
	if text, isText := node.(*parse.StringNode); isText {
		return key{text: text.Text}, true
	}
	base, keys, ok := chainOf(node)
	var path []string
	for _, one := range keys {
		if one.from != nil {
			return key{}, false
		}
		path = append(path, one.text)
	}
	return key{from: base, path: path}, ok
}
