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
	"sync"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/facts"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/valueschema"
)

// Chart is a chart that is loaded once and rendered many times.
type Chart struct {
	chart   *chart.Chart
	nodes   map[string]map[string]any // of schemas, by key of the dependency; "" for the chart itself
	schemas valueschema.Cache
	reader  facts.Reader

	mutex sync.Mutex
	parts map[string]*helmrender.Chart // by what they are reduced to
}

// whole is the part that is the whole chart.
const whole = "global"

// Load reads a chart below root/charts with its dependencies from the same folder; it ignores packaged copies.
func Load(root, name string) (*Chart, error) {
	loaded, err := load(root, name)
	if err != nil {
		return nil, err
	}
	c := &Chart{chart: loaded, nodes: map[string]map[string]any{}, parts: map[string]*helmrender.Chart{whole: helmrender.New(loaded)}}
	for _, each := range append(loaded.Dependencies(), loaded) {
		if each.Schema == nil {
			continue
		}
		node := map[string]any{}
		if err := json.Unmarshal(each.Schema, &node); err != nil {
			return nil, fmt.Errorf("schema of the chart %s: %w", each.Name(), err)
		}
		resolve(node)
		c.nodes[strings.TrimPrefix(each.Name(), loaded.Name())] = node
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

// dependency reports whether a key of the values belongs to a chart that this one depends on.
func (c *Chart) dependency(key string) bool {
	return slices.ContainsFunc(c.chart.Dependencies(), func(d *chart.Chart) bool { return d.Name() == key && d.Metadata.Type != "library" })
}

// part returns the part of the chart whose objects a value can change: the key of a dependency, "" for the chart without its dependencies, or the
// whole chart. Every part includes the templates of the chart itself, which see all values.
func (c *Chart) part(value dropped.Path) string {
	if value[0] == whole || c.dependency(value[0]) {
		return value[0]
	}
	if !slices.ContainsFunc(c.chart.Dependencies(), func(d *chart.Chart) bool { return d.Metadata.Type != "library" }) {
		return whole
	}
	return ""
}

// near returns the part of the chart with the templates that are likely to use a value, which renders faster: those that mention its key, and the
// named templates of the others.
func (c *Chart) near(value dropped.Path) string {
	switch {
	case len(value) > 1 && c.dependency(value[0]):
		return value[0] + "/" + value[1]
	case value[0] == whole:
		return "/" + value[len(value)-1]
	}
	return "/" + value[0]
}

// reduced returns a part of the chart from the cache: that of a dependency, or DEPENDENCY/WORD for templates that mention a word.
func (c *Chart) reduced(part string) *helmrender.Chart {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.parts[part] == nil {
		name, word, near := strings.Cut(part, "/")
		own := c.chart.Templates
		if near {
			own = mentioning(own, word, name == "")
		}
		reduced := copyOf(c.chart, own)
		for i, each := range reduced.Dependencies() {
			if each.Name() != name || near {
				reduced.Dependencies()[i] = copyOf(each, mentioning(each.Templates, word, near && each.Name() == name))
			}
		}
		c.parts[part] = helmrender.New(reduced)
	}
	return c.parts[part]
}

// mentioning returns the templates that render no objects, and if wanted those that contain a word. Of others it keeps the named templates, which the
// charts define at the end of a file.
func mentioning(templates []*chart.File, word string, wanted bool) []*chart.File {
	var kept []*chart.File
	for _, template := range templates {
		text := template.Data
		if !strings.HasPrefix(path.Base(template.Name), "_") && !(wanted && bytes.Contains(text, []byte(word))) {
			at := bytes.Index(text, []byte("{{- define"))
			if at < 0 || !wanted {
				continue
			}
			text = text[at:]
		}
		kept = append(kept, &chart.File{Name: template.Name, Data: text})
	}
	return kept
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

// Render validates the values like Helm and returns the rendered text by template. It is safe for concurrent use.
func (c *Chart) Render(values map[string]any) (map[string]string, error) {
	return c.render(whole, values)
}

func (c *Chart) render(part string, values map[string]any) (map[string]string, error) {
	active, all, err := c.reduced(part).Prepare(values, helmrender.Options{Name: "cf", Namespace: "codefresh", Schemas: &c.schemas})
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(active, all)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(rendered, func(name, _ string) bool { return strings.HasSuffix(name, "NOTES.txt") })
	return rendered, nil
}

// facts returns the facts of a part of the chart, without the Secret of all values that validate-values reads.
func (c *Chart) facts(part string, values map[string]any) (facts.Facts, error) {
	rendered, err := c.render(part, values)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		texts = append(texts, rendered[name])
	}
	found, err := c.reader.Read(texts...)
	delete(found, "Secret/validate-values")
	return found, err
}

// Value returns the value at a path when values are given.
func (c *Chart) Value(values map[string]any, path dropped.Path) (any, error) {
	all, err := chartutil.CoalesceValues(c.chart, values)
	if err != nil {
		return nil, fmt.Errorf("values of %s: %w", c.chart.Name(), err)
	}
	var value any = all.AsMap()
	for _, key := range path {
		fields, _ := value.(map[string]any)
		value = fields[key]
	}
	return value, nil
}

// nodeAt returns the schema node of a path; it is empty where any value is allowed.
func (c *Chart) nodeAt(path dropped.Path) map[string]any {
	if c.dependency(path[0]) {
		return nodeAt(c.nodes[path[0]], path[1:])
	}
	return nodeAt(c.nodes[""], path)
}
