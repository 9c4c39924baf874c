package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/schema/dropped"
)

// Chart is a chart in memory, to be rendered many times.
type Chart struct {
	chart   *chart.Chart
	schemas map[string]chartSchema // of the chart itself under "", of those it depends on under their keys
}

type chartSchema struct {
	node     map[string]any
	compiled *jsonschema.Schema
}

// Load reads a chart below root/charts with those beside it that it depends on, whatever is vendored.
func Load(root, name string) (*Chart, error) {
	loaded, err := load(root, name)
	if err != nil {
		return nil, err
	}
	c := &Chart{chart: loaded, schemas: map[string]chartSchema{}}
	for _, each := range append(loaded.Dependencies(), loaded) {
		if each.Schema == nil {
			continue
		}
		key := each.Name()
		if each == loaded {
			key = ""
		}
		if c.schemas[key], err = compile(each); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// load reads a chart of the checkout with its dependencies in the order of Chart.yaml.
func load(root, name string) (*chart.Chart, error) {
	loaded, err := helmchart.Load(context.Background(), helmchart.Source{Name: filepath.Join(root, "charts", name)})
	if err != nil {
		return nil, err
	}
	var dependencies []*chart.Chart
	for _, wanted := range loaded.Metadata.Dependencies {
		at := slices.IndexFunc(loaded.Dependencies(), func(c *chart.Chart) bool { return c.Name() == wanted.Name })
		dependencies = append(dependencies, loaded.Dependencies()[at])
	}
	loaded.SetDependencies(dependencies...)
	return loaded, nil
}

func compile(of *chart.Chart) (made chartSchema, err error) {
	if err = json.Unmarshal(of.Schema, &made.node); err != nil {
		return made, fmt.Errorf("schema of the chart %s: %w", of.Name(), err)
	}
	resolve(made.node)
	compiler := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(of.Schema))
	if err == nil {
		err = compiler.AddResource("values.schema.json", document)
	}
	if err == nil {
		made.compiled, err = compiler.Compile("values.schema.json")
	}
	if err != nil {
		return made, fmt.Errorf("schema of the chart %s: %w", of.Name(), err)
	}
	return made, nil
}

// dependency tells whether a key of the values is that of a chart this one depends on.
func (c *Chart) dependency(key string) bool {
	return slices.ContainsFunc(c.chart.Dependencies(), func(d *chart.Chart) bool { return d.Name() == key && !library(d) })
}

func library(c *chart.Chart) bool { return c.Metadata.Type == "library" }

// Around returns the part of the chart where a value most likely shows, which renders faster: of the chart that the value is for, the
// templates that mention it; of the others only what they define for all, and their values, which any template may read.
// Of templates that do not mention it what they define is kept: by the habit of the charts it stands at their end.
func (c *Chart) Around(value dropped.Path) *Chart {
	var own *chart.Chart
	if len(value) > 1 && c.dependency(value[0]) {
		own = copyOf(c.chart, partials(c.chart.Templates))
		for i, each := range own.Dependencies() {
			if each.Name() == value[0] {
				own.Dependencies()[i] = copyOf(each, mentioning(each.Templates, value[1]))
			} else {
				own.Dependencies()[i] = copyOf(each, partials(each.Templates))
			}
		}
	} else {
		word := value[0]
		if word == "global" {
			word = value[len(value)-1]
		}
		own = copyOf(c.chart, mentioning(c.chart.Templates, word))
		for i, each := range own.Dependencies() {
			own.Dependencies()[i] = copyOf(each, partials(each.Templates))
		}
	}
	return &Chart{chart: own, schemas: c.schemas}
}

// part names the part of the chart whose objects a value can change: of a chart that it depends on, which sees its own values and the global
// ones; or "global" for all of it. The chart's own templates are in every part, for they see all values.
func (c *Chart) part(value dropped.Path) string {
	if value[0] == "global" || c.dependency(value[0]) {
		return value[0]
	}
	if !slices.ContainsFunc(c.chart.Dependencies(), func(d *chart.Chart) bool { return !library(d) }) {
		return "global"
	}
	return ""
}

// only returns a part of the chart: of other charts only what they define for all.
func (c *Chart) only(part string) *Chart {
	if part == "global" {
		return c
	}
	own := copyOf(c.chart, c.chart.Templates)
	for i, each := range own.Dependencies() {
		if each.Name() != part {
			own.Dependencies()[i] = copyOf(each, partials(each.Templates))
		}
	}
	return &Chart{chart: own, schemas: c.schemas}
}

// copyOf is a chart that may be changed without changing the one it comes from, with other templates.
func copyOf(from *chart.Chart, templates []*chart.File) *chart.Chart {
	made := *from
	metadata := *from.Metadata
	metadata.Dependencies = nil
	for _, dependency := range from.Metadata.Dependencies {
		each := *dependency
		metadata.Dependencies = append(metadata.Dependencies, &each)
	}
	made.Metadata, made.Templates = &metadata, templates
	var dependencies []*chart.Chart
	for _, each := range from.Dependencies() {
		dependencies = append(dependencies, copyOf(each, each.Templates))
	}
	made.SetDependencies(dependencies...)
	return &made
}

// enabled copies a chart without those it depends on whose condition the values deny. Helm's own way to do it also handles tags and imports,
// which no chart here has, and takes longer than all the rest of a render.
func enabled(from *chart.Chart, values map[string]any) *chart.Chart {
	made := copyOf(from, from.Templates)
	var on []*chart.Chart
	for i, each := range made.Dependencies() {
		path := dropped.ParsePath(from.Metadata.Dependencies[i].Condition)
		wanted := lookUp(values, path)
		if wanted == nil {
			wanted = lookUp(from.Values, path)
		}
		if wanted != false {
			on = append(on, each)
		}
	}
	made.SetDependencies(on...)
	return made
}

func lookUp(values map[string]any, path dropped.Path) any {
	var value any = values
	for _, key := range path {
		fields, _ := value.(map[string]any)
		value = fields[key]
	}
	return value
}

// partials are the templates that make no object themselves.
func partials(templates []*chart.File) []*chart.File {
	var kept []*chart.File
	for _, template := range templates {
		if partial(template) {
			kept = append(kept, template)
		}
	}
	return kept
}

func partial(template *chart.File) bool { return strings.HasPrefix(path.Base(template.Name), "_") }

func mentioning(templates []*chart.File, word string) []*chart.File {
	var kept []*chart.File
	for _, template := range templates {
		text := template.Data
		if !partial(template) && !bytes.Contains(text, []byte(word)) {
			if text = definitions(text); text == nil {
				continue
			}
		}
		kept = append(kept, &chart.File{Name: template.Name, Data: text})
	}
	return kept
}

// definitions returns a template from its first define on; nil where there is none.
func definitions(text []byte) []byte {
	if at := bytes.Index(text, []byte("{{- define")); at >= 0 {
		return text[at:]
	}
	return nil
}

// Render returns the chart's objects as text, by template, checked against its schemas as Helm does.
// Several renders may go on at once.
func (c *Chart) Render(values map[string]any) (map[string]string, error) {
	made, all, err := c.prepare(values)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(made, all)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(rendered, func(name, text string) bool {
		return strings.HasSuffix(name, "NOTES.txt") || strings.TrimSpace(text) == ""
	})
	return rendered, nil
}

// Check tells what the chart's schemas say against values.
func (c *Chart) Check(values map[string]any) error {
	_, _, err := c.prepare(values)
	return err
}

// prepare returns the chart without those that values turn off, and what its templates see.
func (c *Chart) prepare(values map[string]any) (*chart.Chart, chartutil.Values, error) {
	options := chartutil.ReleaseOptions{Name: "cf", Namespace: "codefresh", IsInstall: true}
	capabilities, err := helmrender.Options{}.Capabilities()
	if err != nil {
		return nil, nil, err
	}
	made := enabled(c.chart, values)
	all, err := chartutil.ToRenderValuesWithSchemaValidation(made, values, options, capabilities, true)
	if err != nil {
		return nil, nil, err
	}
	if err := c.validate(made, all["Values"].(chartutil.Values)); err != nil {
		return nil, nil, err
	}
	return made, all, nil
}

// validate is Helm's own check with the schemas compiled once.
func (c *Chart) validate(made *chart.Chart, values chartutil.Values) error {
	if err := c.schemas[""].check(made.Name(), values); err != nil {
		return err
	}
	for _, each := range made.Dependencies() {
		if known, ok := c.schemas[each.Name()]; ok {
			if err := known.check(each.Name(), values[each.Name()]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s chartSchema) check(name string, values any) error {
	text, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("values of %s: %w", name, err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("values of %s: %w", name, err)
	}
	return s.compiled.Validate(document)
}

// Value returns what a path is set to when values are given.
func (c *Chart) Value(values map[string]any, path dropped.Path) (any, error) {
	all, err := chartutil.CoalesceValues(c.chart, values)
	if err != nil {
		return nil, fmt.Errorf("values of %s: %w", c.chart.Name(), err)
	}
	return lookUp(all.AsMap(), path), nil
}

// nodeAt returns the schema node of a path; empty where anything goes.
func (c *Chart) nodeAt(path dropped.Path) map[string]any {
	if c.dependency(path[0]) {
		return nodeAt(c.schemas[path[0]].node, path[1:])
	}
	return nodeAt(c.schemas[""].node, path)
}
