// Package render renders charts the same way every time: random, time and
// certificate functions are fixed, so that two renders differ only where their
// values do. Templates are parsed once and executed for every set of values.
//
// Helm's own engine offers no way to replace functions; this one follows its
// documented behaviour, and the proof package renders with Helm's engine at
// the end.
package render

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"
	"text/template"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// maxIncludeDepth bounds includes in includes. Helm gives up on a template that
// includes itself a thousand times; no chart nests as deep as this.
const maxIncludeDepth = 500

// including and expanding count nested calls of include and tpl.
const including, expanding = "include", "tpl"

// maxTplDepth bounds templates in values that render to templates again.
const maxTplDepth = 100

// Engine renders charts and keeps their parsed templates. It is not safe for
// concurrent use.
type Engine struct {
	parsed   map[string]*parsedSet
	coverage *coverage
	reads    *reads
	parses   *parses
}

// NewEngine makes an Engine with nothing parsed yet.
func NewEngine() *Engine {
	return &Engine{parsed: map[string]*parsedSet{}, coverage: newCoverage(), reads: newReads(), parses: &parses{maps: map[string]map[string]any{}}}
}

// parsedSet is the templates of one combination of enabled charts.
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

// Render executes all templates of a chart whose dependencies were processed
// by chartutil.ProcessDependencies. The values are those of
// chartutil.ToRenderValues. It returns the text of every template by its name,
// partials left out.
func (e *Engine) Render(ctx context.Context, root *chart.Chart, values chartutil.Values) (output map[string]string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("chart %s cannot be rendered: %v", root.Name(), r)
		}
	}()
	sources := collect(root, values, nil)
	sort.Slice(sources, func(a, b int) bool { return executedBefore(sources[a].name, sources[b].name) })
	set, err := e.parse(sources)
	if err != nil {
		return nil, err
	}
	set.fixed.reset()
	set.budget.reset(ctx)
	clear(set.depth)
	output = make(map[string]string, len(sources))
	for _, src := range sources {
		if strings.HasPrefix(path.Base(src.name), "_") {
			continue
		}
		src.data["Template"] = chartutil.Values{"Name": src.name, "BasePath": src.basePath}
		text := set.budget.writer()
		if err := set.root.ExecuteTemplate(text, src.name, src.data); err != nil {
			if set.budget.err != nil {
				return nil, fmt.Errorf("%s: %w", src.name, set.budget.err)
			}
			return nil, innermost(src.name, err)
		}
		output[src.name] = dropNoValue(text.String())
	}
	return output, nil
}

// innermost is what a template failed with, without the chain of includes that
// led there. A template that refuses its values has the word alone.
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
	set.root.Funcs(funcs(set.fixed)).Funcs(template.FuncMap{coverFunc: e.coverage.execute, tickFunc: set.budget.tick, "fromYaml": e.parses.fromYAML})
	set.bind(set.root)
	for _, src := range sources {
		if _, err := set.root.New(src.name).Parse(src.text); err != nil {
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

// bind gives a template the two functions that execute other templates.
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

// tpl executes text as a template that sees all others. Parsed texts are kept,
// since charts render the same strings many times.
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

// dropNoValue removes what text/template writes for absent values of type any.
func dropNoValue(text string) string { return strings.ReplaceAll(text, "<no value>", "") }

// executedBefore orders templates as Helm does: deeper paths first, then by
// name backwards.
func executedBefore(a, b string) bool {
	if ca, cb := strings.Count(a, "/"), strings.Count(b, "/"); ca != cb {
		return ca > cb
	}
	return a > b
}

// collect gathers the templates of a chart and its dependencies, each with the
// values of its own scope.
func collect(c *chart.Chart, parent map[string]any, sources []source) []source {
	_, sources = collectScope(c, parent, sources)
	return sources
}

func collectScope(c *chart.Chart, parent map[string]any, sources []source) (map[string]any, []source) {
	children := map[string]any{}
	scope := map[string]any{
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
		scope["Values"] = parent["Values"]
	} else if own, err := chartutil.Values(parent).Table("Values." + c.Name()); err == nil {
		scope["Values"] = own
	}
	for _, child := range c.Dependencies() {
		children[child.Name()], sources = collectScope(child, scope, sources)
	}
	library := strings.EqualFold(c.Metadata.Type, "library")
	full := c.ChartFullPath()
	for _, file := range c.Templates {
		if file == nil || library && !strings.HasPrefix(path.Base(file.Name), "_") {
			continue
		}
		sources = append(sources, source{
			name: path.Join(full, file.Name), text: string(file.Data),
			basePath: path.Join(full, "templates"), data: scope,
		})
	}
	return scope, sources
}
