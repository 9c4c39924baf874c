// Package chartrender renders charts deterministically: random, time and certificate functions are fixed, so that two renders differ only where their
// values do. Templates are parsed once and executed for every set of values.
//
// Helm's own engine does not allow replacing functions; this one follows its documented behavior, and the proof package renders with Helm's engine at
// the end.
package chartrender

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"path"
	"sort"
	"strings"
	"text/template"
	"text/template/parse"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// maxIncludeDepth limits includes in includes. Helm fails when a template includes itself a thousand times; no chart nests this deep.
const maxIncludeDepth = 500

// including and expanding are the keys of the counts of nested calls of include and tpl.
const including, expanding = "include", "tpl"

// maxTplDepth limits the nesting of templates in values that render to templates again.
const maxTplDepth = 100

// Engine renders charts and stores their parsed templates. It is not safe for concurrent use.
type Engine struct {
	parsed   map[string]*parsedSet
	coverage *coverage
	reads    *reads
	parses   *parses
	inputs   *inputs
	notes    *instrumenter
	kept     map[string][]*file
	// trees contains the parsed templates of files, by name and text; bodies contains hashes of their content.
	trees  map[string]map[string]*parse.Tree
	bodies map[*parse.Tree]uint64
	// whole reports whether every render executes all files, since templates of
	// the chart modify their values.
	whole bool
}

// NewEngine creates an Engine without parsed templates.
func NewEngine() *Engine {
	in := newInputs()
	return &Engine{
		parsed: map[string]*parsedSet{}, coverage: newCoverage(), reads: newReads(), parses: newParses(),
		inputs: in, notes: &instrumenter{inputs: in, done: map[*parse.Tree]bool{}}, kept: map[string][]*file{},
		trees: map[string]map[string]*parse.Tree{}, bodies: map[*parse.Tree]uint64{},
	}
}

// parsedSet contains the templates of one combination of enabled charts.
type parsedSet struct {
	root   *template.Template
	depth  map[string]int
	tpls   map[string]*template.Template
	fixed  *fixedFuncs
	budget *budget
	inputs *inputs
	notes  *instrumenter
	// charts identifies the enabled charts.
	charts uint64
	// bodies contains a hash of the text of every template, by name.
	bodies map[string]uint64
}

// source is one template file with the data it is executed with.
type source struct {
	name     string
	text     string
	basePath string
	data     map[string]any
}

// Render executes the templates of a chart whose dependencies were processed by chartutil.ProcessDependencies, except those whose inputs are the same
// as in an earlier render. The values are those of chartutil.ToRenderValues; unless whole is set, no two maps in them may be the same. It returns
// every file except partials, in the order of their execution, or nothing if templates turn out to modify their values: then whole is set, and the
// render is repeated.
func (e *Engine) Render(ctx context.Context, root *chart.Chart, values chartutil.Values) (files []*file, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("chart %s cannot be rendered: %v", root.Name(), r)
		}
	}()
	sources, scopes := collect(root, values)
	sort.Slice(sources, func(a, b int) bool { return executedBefore(sources[a].name, sources[b].name) })
	set, err := e.parse(sources)
	if err != nil {
		return nil, err
	}
	set.budget.reset(ctx)
	clear(set.depth)
	if !e.whole {
		tree, _ := mapOf(values["Values"])
		e.inputs.begin(tree, scopes, set.charts)
	}
	for _, src := range sources {
		if isPartial(src.name) {
			continue
		}
		one, failed := e.file(set, src)
		if failed != nil {
			err = failed
			break
		}
		files = append(files, one)
	}
	if e.whole {
		return files, err
	}
	if e.inputs.written() {
		e.whole = true
		return nil, nil
	}
	e.keep(files)
	return files, err
}

// file renders one file, or returns its cached result for the same inputs.
func (e *Engine) file(set *parsedSet, src source) (*file, error) {
	if !e.whole {
		if known := e.known(set, src.name); known != nil {
			return known, nil
		}
		e.inputs.open()
	}
	set.fixed.reset()
	src.data["Template"] = chartutil.Values{"Name": src.name, "BasePath": src.basePath}
	text := set.budget.writer()
	err := set.root.ExecuteTemplate(text, src.name, src.data)
	result := &file{name: src.name}
	if !e.whole {
		result.reads, result.bodies = e.inputs.close(set, src.name)
	}
	switch {
	case set.budget.err != nil:
		return nil, fmt.Errorf("%s: %w", src.name, set.budget.err)
	case err != nil:
		return nil, innermost(src.name, err)
	}
	result.cut(strings.Clone(dropNoValue(text.String()))) // the clone has no unused capacity
	return result, nil
}

// originalNames replaces the names of functions in instrumented templates with the original ones.
var originalNames = strings.NewReplacer(forwardFunc, "include", printFunc, "toJson", viewFunc, "fromJson")

// innermost returns the error of a template without the chain of includes that led to it. For a template that rejects its values it is only the
// message.
func innermost(name string, err error) error {
	text := originalNames.Replace(err.Error())
	if i := strings.LastIndex(text, "error calling fail: "); i >= 0 {
		return fmt.Errorf("%s: %s", name, strings.TrimSpace(text[i+len("error calling fail: "):]))
	}
	for _, call := range []string{"error calling include: ", "error calling tpl: "} {
		if i := strings.LastIndex(text, call); i >= 0 {
			text = text[i+len(call):]
		}
	}
	if strings.HasPrefix(text, "template: ") {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", name, text)
}

func (e *Engine) parse(sources []source) (*parsedSet, error) {
	names := make([]string, len(sources))
	for i, src := range sources {
		names[i] = src.name
	}
	key := strings.Join(names, "\n")
	if set, ok := e.parsed[key]; ok {
		return set, nil
	}
	set := &parsedSet{
		root:  template.New("chart").Option("missingkey=zero"),
		depth: map[string]int{},
		tpls:  map[string]*template.Template{},
		fixed: &fixedFuncs{}, budget: &budget{}, inputs: e.inputs, bodies: map[string]uint64{}, charts: maphash.String(seed, key),
		notes: e.notes,
	}
	set.root.Funcs(funcs(set.fixed)).Funcs(writers(e.inputs))
	set.root.Funcs(template.FuncMap{coverFunc: e.coverage.execute, tickFunc: set.budget.tick, noteFunc: e.inputs.note, printFunc: e.inputs.print, viewFunc: e.inputs.view, "fromYaml": e.parses.fromYAML, "toYaml": e.parses.toYAML, "regexMatch": e.parses.regexMatch})
	set.bind(set.root)
	for _, src := range sources {
		if err := e.add(set.root, src); err != nil {
			return nil, err
		}
	}
	for _, t := range set.root.Templates() {
		if t.Tree != nil && t.Root != nil {
			set.bodies[t.Name()] = e.body(t.Tree)
		}
	}
	e.reads.note(set.root)
	if err := e.coverage.instrument(set.root); err != nil {
		return nil, err
	}
	if err := set.notes.instrument(set.root); err != nil {
		return nil, err
	}
	e.parsed[key] = set
	return set, nil
}

// add adds the templates that a file defines to a set. The file is parsed once for all sets.
func (e *Engine) add(root *template.Template, src source) error {
	key := src.name + "\x00" + src.text
	trees, known := e.trees[key]
	if !known {
		alone := template.New(src.name).Funcs(parsing)
		if _, err := alone.Parse(src.text); err != nil {
			return err
		}
		trees = map[string]*parse.Tree{}
		for _, t := range alone.Templates() {
			trees[t.Name()] = t.Tree
		}
		e.trees[key] = trees
	}
	for name, tree := range trees {
		if _, err := root.AddParseTree(name, tree); err != nil {
			return err
		}
	}
	return nil
}

// body returns a hash of a template; the first call must precede its instrumentation.
func (e *Engine) body(tree *parse.Tree) uint64 {
	sum, known := e.bodies[tree]
	if !known {
		sum = maphash.String(seed, tree.Root.String())
		e.bodies[tree] = sum
	}
	return sum
}

// parsing contains the functions that the parser accepts; none is called.
var parsing = func() template.FuncMap {
	table := funcs(&fixedFuncs{})
	none := func() string { return "" }
	for _, name := range []string{coverFunc, tickFunc, noteFunc, printFunc, viewFunc, forwardFunc} {
		table[name] = none
	}
	return table
}()

// bind adds the two functions with which a template executes other templates.
func (s *parsedSet) bind(t *template.Template) {
	include := func(name string, data any) (string, error) {
		if s.depth[including] > maxIncludeDepth {
			return "", fmt.Errorf("template %q includes itself without end", name)
		}
		s.depth[including]++
		s.inputs.enter(name)
		defer func() { s.depth[including]--; s.inputs.leave() }()
		if _, err := s.budget.tick(); err != nil {
			return "", err
		}
		text := s.budget.writer()
		err := t.ExecuteTemplate(text, name, data)
		return text.String(), err
	}
	t.Funcs(template.FuncMap{
		"include": include,
		forwardFunc: func(name string, data any) (string, error) {
			text, err := include(name, data)
			s.inputs.forward()
			return text, err
		},
		"tpl": func(text string, data any) (string, error) { return s.tpl(t, text, data) },
	})
}

// tpl executes text as a template that can include all others. Parsed texts are cached, since charts render the same strings many times.
func (s *parsedSet) tpl(parent *template.Template, text string, data any) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	if _, err := s.budget.tick(); err != nil {
		return "", err
	}
	if s.depth[expanding]++; s.depth[expanding] > maxTplDepth {
		return "", s.budget.exceed("tpl renders a text that is a template again, more than %d levels deep; a value that is a template includes itself", maxTplDepth)
	}
	defer func() { s.depth[expanding]-- }()
	parsed, ok := s.tpls[text]
	if !ok {
		clone, err := parent.Clone()
		if err != nil {
			return "", fmt.Errorf("tpl: %w", err)
		}
		clone.Option("missingkey=zero")
		s.bind(clone)
		if parsed, err = clone.New(parent.Name()).Parse(text); err != nil {
			return "", fmt.Errorf("tpl cannot parse %q: %w", text, err)
		}
		if err := s.notes.instrument(parsed); err != nil {
			return "", err
		}
		if parent == s.root {
			s.tpls[text] = parsed
		}
	}
	out := s.budget.writer()
	if err := parsed.Execute(out, data); err != nil {
		return "", fmt.Errorf("tpl of %q: %w", text, err)
	}
	return dropNoValue(out.String()), nil
}

// dropNoValue removes the text that text/template writes for absent values of type any.
func dropNoValue(text string) string { return strings.ReplaceAll(text, "<no value>", "") }

// executedBefore reports whether Helm executes template a before b: deeper paths
// first, then in descending order of names.
func executedBefore(a, b string) bool {
	if ca, cb := strings.Count(a, "/"), strings.Count(b, "/"); ca != cb {
		return ca > cb
	}
	return a > b
}

// scope is the data with which the templates of one chart are executed, and the
// keys of its values from the root.
type scope struct {
	keys []string
	data map[string]any
}

// collect returns the templates of a chart and its dependencies, each with the
// data of its chart, and the scopes of the charts.
func collect(c *chart.Chart, parent map[string]any) ([]source, []scope) {
	var all gathering
	all.chart(c, parent, nil)
	return all.sources, all.scopes
}

type gathering struct {
	sources []source
	scopes  []scope
}

func (g *gathering) chart(c *chart.Chart, parent map[string]any, keys []string) map[string]any {
	children := map[string]any{}
	data := map[string]any{
		"Chart": struct {
			chart.Metadata
			IsRoot bool
		}{*c.Metadata, c.IsRoot()},
		"Files":        newFiles(c.Files),
		"Release":      parent["Release"],
		"Capabilities": parent["Capabilities"],
		"Values":       chartutil.Values{},
		"Subcharts":    children,
	}
	if c.IsRoot() {
		data["Values"] = parent["Values"]
	} else if table, err := chartutil.Values(parent).Table("Values." + c.Name()); err == nil {
		data["Values"] = table
	}
	g.scopes = append(g.scopes, scope{keys, data})
	for _, child := range c.Dependencies() {
		children[child.Name()] = g.chart(child, data, append(keys[:len(keys):len(keys)], child.Name()))
	}
	library := strings.EqualFold(c.Metadata.Type, "library")
	full := c.ChartFullPath()
	for _, file := range c.Templates {
		if file == nil || library && !isPartial(file.Name) {
			continue
		}
		g.sources = append(g.sources, source{
			name: path.Join(full, file.Name), text: string(file.Data),
			basePath: path.Join(full, "templates"), data: data,
		})
	}
	return data
}
