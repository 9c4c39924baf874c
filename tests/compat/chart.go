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

// Chart is a chart that is loaded once and rendered many times.
type Chart struct {
	chart   *chart.Chart
	schemas map[string]chartSchema // by key of the dependency; "" for the chart itself
}

type chartSchema struct {
	node     map[string]any
	compiled *jsonschema.Schema
}

// Load reads a chart below root/charts with its dependencies from the same folder; it ignores packaged copies.
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

// load reads a chart from the checkout, with its dependencies in the order of Chart.yaml.
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

func compile(of *chart.Chart) (result chartSchema, err error) {
	if err = json.Unmarshal(of.Schema, &result.node); err != nil {
		return result, fmt.Errorf("schema of the chart %s: %w", of.Name(), err)
	}
	resolve(result.node)
	compiler := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(of.Schema))
	if err == nil {
		err = compiler.AddResource("values.schema.json", document)
	}
	if err == nil {
		result.compiled, err = compiler.Compile("values.schema.json")
	}
	if err != nil {
		return result, fmt.Errorf("schema of the chart %s: %w", of.Name(), err)
	}
	return result, nil
}

// dependency reports whether a key of the values belongs to a chart that this one depends on.
func (c *Chart) dependency(key string) bool {
	return slices.ContainsFunc(c.chart.Dependencies(), func(d *chart.Chart) bool { return d.Name() == key && !library(d) })
}

func library(c *chart.Chart) bool { return c.Metadata.Type == "library" }

// Around returns the chart reduced to the templates that are likely to use a value, which renders faster. The chart of the value keeps the templates
// that mention it and the named templates of the others, which the charts define at the end of a file; other charts keep only their partials.
func (c *Chart) Around(value dropped.Path) *Chart {
	var reduced *chart.Chart
	if len(value) > 1 && c.dependency(value[0]) {
		reduced = copyOf(c.chart, partials(c.chart.Templates))
		for i, each := range reduced.Dependencies() {
			if each.Name() == value[0] {
				reduced.Dependencies()[i] = copyOf(each, mentioning(each.Templates, value[1]))
			} else {
				reduced.Dependencies()[i] = copyOf(each, partials(each.Templates))
			}
		}
	} else {
		word := value[0]
		if word == "global" {
			word = value[len(value)-1]
		}
		reduced = copyOf(c.chart, mentioning(c.chart.Templates, word))
		for i, each := range reduced.Dependencies() {
			reduced.Dependencies()[i] = copyOf(each, partials(each.Templates))
		}
	}
	return &Chart{chart: reduced, schemas: c.schemas}
}

// part returns the part of the chart whose objects a value can change: the key of a dependency, or "global" for the whole chart.
// Every part includes the templates of the chart itself, which see all values.
func (c *Chart) part(value dropped.Path) string {
	if value[0] == "global" || c.dependency(value[0]) {
		return value[0]
	}
	if !slices.ContainsFunc(c.chart.Dependencies(), func(d *chart.Chart) bool { return !library(d) }) {
		return "global"
	}
	return ""
}

// only returns a part of the chart; other dependencies keep only their partials.
func (c *Chart) only(part string) *Chart {
	if part == "global" {
		return c
	}
	reduced := copyOf(c.chart, c.chart.Templates)
	for i, each := range reduced.Dependencies() {
		if each.Name() != part {
			reduced.Dependencies()[i] = copyOf(each, partials(each.Templates))
		}
	}
	return &Chart{chart: reduced, schemas: c.schemas}
}

// copyOf returns a deep copy of a chart with other templates.
func copyOf(from *chart.Chart, templates []*chart.File) *chart.Chart {
	result := *from
	metadata := *from.Metadata
	metadata.Dependencies = nil
	for _, dependency := range from.Metadata.Dependencies {
		each := *dependency
		metadata.Dependencies = append(metadata.Dependencies, &each)
	}
	result.Metadata, result.Templates = &metadata, templates
	var dependencies []*chart.Chart
	for _, each := range from.Dependencies() {
		dependencies = append(dependencies, copyOf(each, each.Templates))
	}
	result.SetDependencies(dependencies...)
	return &result
}

// enabled returns a copy of a chart without the dependencies whose condition is false. Helm's implementation also handles tags and imports, which
// no chart here uses, and takes longer than the rest of the render.
func enabled(from *chart.Chart, values map[string]any) *chart.Chart {
	result := copyOf(from, from.Templates)
	var on []*chart.Chart
	for i, each := range result.Dependencies() {
		path := dropped.ParsePath(from.Metadata.Dependencies[i].Condition)
		wanted := lookUp(values, path)
		if wanted == nil {
			wanted = lookUp(from.Values, path)
		}
		if wanted != false {
			on = append(on, each)
		}
	}
	result.SetDependencies(on...)
	return result
}

func lookUp(values map[string]any, path dropped.Path) any {
	var value any = values
	for _, key := range path {
		fields, _ := value.(map[string]any)
		value = fields[key]
	}
	return value
}

// partials returns the templates that render no objects.
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

// definitions returns the part of a template that starts at its first define, or nil.
func definitions(text []byte) []byte {
	if at := bytes.Index(text, []byte("{{- define")); at >= 0 {
		return text[at:]
	}
	return nil
}

// Render validates the values like Helm and returns the rendered text by template. It is safe for concurrent use.
func (c *Chart) Render(values map[string]any) (map[string]string, error) {
	active, all, err := c.prepare(values)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(active, all)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(rendered, func(name, text string) bool {
		return strings.HasSuffix(name, "NOTES.txt") || strings.TrimSpace(text) == ""
	})
	return rendered, nil
}

// Check validates values against the chart's schemas.
func (c *Chart) Check(values map[string]any) error {
	_, _, err := c.prepare(values)
	return err
}

// prepare returns the chart without disabled dependencies, and the context of its templates.
func (c *Chart) prepare(values map[string]any) (*chart.Chart, chartutil.Values, error) {
	options := chartutil.ReleaseOptions{Name: "cf", Namespace: "codefresh", IsInstall: true}
	capabilities, err := helmrender.Options{}.Capabilities()
	if err != nil {
		return nil, nil, err
	}
	active := enabled(c.chart, values)
	all, err := chartutil.ToRenderValuesWithSchemaValidation(active, values, options, capabilities, true)
	if err != nil {
		return nil, nil, err
	}
	if err := c.validate(active, all["Values"].(chartutil.Values)); err != nil {
		return nil, nil, err
	}
	return active, all, nil
}

// validate validates values like Helm, but compiles the schemas once.
func (c *Chart) validate(active *chart.Chart, values chartutil.Values) error {
	if err := c.schemas[""].check(active.Name(), values); err != nil {
		return err
	}
	for _, each := range active.Dependencies() {
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

// Value returns the value at a path when values are given.
func (c *Chart) Value(values map[string]any, path dropped.Path) (any, error) {
	all, err := chartutil.CoalesceValues(c.chart, values)
	if err != nil {
		return nil, fmt.Errorf("values of %s: %w", c.chart.Name(), err)
	}
	return lookUp(all.AsMap(), path), nil
}

// nodeAt returns the schema node of a path; it is empty where any value is allowed.
func (c *Chart) nodeAt(path dropped.Path) map[string]any {
	if c.dependency(path[0]) {
		return nodeAt(c.schemas[path[0]].node, path[1:])
	}
	return nodeAt(c.schemas[""].node, path)
}
