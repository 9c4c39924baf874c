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
	"path"
	"sort"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

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
	// trees contains the parsed templates of files, by name and text.
	trees map[string]map[string]*parse.Tree
	// volatile reports whether the last render used the time or random values.
	volatile bool
	// slower is the CPU time that Helm's engine may need in addition for what the last render did.
	slower time.Duration
}

// NewEngine creates an Engine without parsed templates.
func NewEngine() *Engine {
	return &Engine{parsed: map[string]*parsedSet{}, coverage: newCoverage(), reads: newReads(), trees: map[string]map[string]*parse.Tree{}}
}

// parsedSet contains the templates of one combination of enabled charts.
type parsedSet struct {
	root   *template.Template
	depth  map[string]int
	tpls   map[string]*template.Template
	fixed  *fixedFuncs
	budget *budget
}

// source is one template file with the data it is executed with.
type source struct {
	name     string
	text     string
	basePath string
	data     map[string]any
}

// Render executes the templates of a chart whose dependencies were processed by chartutil.ProcessDependencies. The values are those of
// chartutil.ToRenderValues; templates may modify them. It returns the texts of all files except partials, by name.
func (e *Engine) Render(ctx context.Context, root *chart.Chart, values chartutil.Values) (texts map[string]string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("chart %s cannot be rendered: %v", root.Name(), r)
		}
	}()
	var all []source
	collect(root, values, &all)
	sort.Slice(all, func(a, b int) bool { return executedBefore(all[a].name, all[b].name) })
	set, err := e.parse(all)
	if err != nil {
		return nil, err
	}
	set.budget.reset(ctx)
	set.fixed.used, set.fixed.slower = false, 0
	defer func() { e.volatile, e.slower = set.fixed.used, min(set.fixed.slower, maxSlower) }()
	clear(set.depth)
	texts = map[string]string{}
	for _, src := range all {
		if isPartial(src.name) {
			continue
		}
		if texts[src.name], err = set.execute(src); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// execute renders one file.
func (s *parsedSet) execute(src source) (string, error) {
	s.fixed.reset()
	src.data["Template"] = chartutil.Values{"Name": src.name, "BasePath": src.basePath}
	text := s.budget.writer()
	err := s.root.ExecuteTemplate(text, src.name, src.data)
	switch {
	case s.budget.err != nil:
		return "", fmt.Errorf("%s: %w", src.name, s.budget.err)
	case err != nil:
		return "", innermost(src.name, err)
	}
	return dropNoValue(text.String()), nil
}

// innermost returns the error of a template without the chain of includes that led to it. For a template that rejects its values it is only the
// message.
func innermost(name string, err error) error {
	text := err.Error()
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
		fixed: &fixedFuncs{}, budget: &budget{},
	}
	set.root.Funcs(funcs(set.fixed))
	set.root.Funcs(template.FuncMap{coverFunc: e.coverage.execute, tickFunc: set.budget.tick})
	set.bind(set.root)
	for _, src := range sources {
		if err := e.add(set.root, src); err != nil {
			return nil, err
		}
	}
	e.reads.note(set.root)
	if err := e.coverage.instrument(set.root); err != nil {
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

// parsing contains the functions that the parser accepts; none is called.
var parsing = func() template.FuncMap {
	table := funcs(&fixedFuncs{})
	none := func() string { return "" }
	for _, name := range []string{coverFunc, tickFunc} {
		table[name] = none
	}
	return table
}()

// bind adds the two functions with which a template executes other templates.
func (s *parsedSet) bind(t *template.Template) {
	t.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			if s.depth[including] > maxIncludeDepth {
				return "", fmt.Errorf("template %q includes itself without end", name)
			}
			s.depth[including]++
			defer func() { s.depth[including]-- }()
			if _, err := s.budget.tick(); err != nil {
				return "", err
			}
			text := s.budget.writer()
			err := t.ExecuteTemplate(text, name, data)
			return text.String(), err
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

// collect adds the templates of a chart and its dependencies, each with the data of its chart, which it returns.
func collect(c *chart.Chart, parent map[string]any, into *[]source) map[string]any {
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
	for _, child := range c.Dependencies() {
		children[child.Name()] = collect(child, data, into)
	}
	library := strings.EqualFold(c.Metadata.Type, "library")
	full := c.ChartFullPath()
	for _, file := range c.Templates {
		if file == nil || library && !isPartial(file.Name) {
			continue
		}
		*into = append(*into, source{
			name: path.Join(full, file.Name), text: string(file.Data),
			basePath: path.Join(full, "templates"), data: data,
		})
	}
	return data
}
