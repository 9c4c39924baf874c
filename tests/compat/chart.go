package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// Chart is a chart in memory, to be rendered many times.
type Chart struct {
	chart    *chart.Chart
	schema   map[string]any
	compiled *jsonschema.Schema
}

// Load reads a chart below root/charts with the library beside it, whatever is vendored.
func Load(root, name string) (*Chart, error) {
	loaded, err := loader.LoadDir(filepath.Join(root, "charts", name))
	if err != nil {
		return nil, fmt.Errorf("load the chart %s: %w", name, err)
	}
	library, err := loader.LoadDir(filepath.Join(root, "charts", "common"))
	if err != nil {
		return nil, fmt.Errorf("load the library chart: %w", err)
	}
	loaded.SetDependencies(library)
	c := &Chart{chart: loaded}
	if err := json.Unmarshal(loaded.Schema, &c.schema); err != nil {
		return nil, fmt.Errorf("schema of the chart %s: %w", name, err)
	}
	compiler := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(loaded.Schema))
	if err == nil {
		err = compiler.AddResource("values.schema.json", document)
	}
	if err == nil {
		c.compiled, err = compiler.Compile("values.schema.json")
	}
	if err != nil {
		return nil, fmt.Errorf("schema of the chart %s: %w", name, err)
	}
	return c, nil
}

// Mentioning returns the chart with only those templates that hold a word, which renders faster.
// Of the others only what they define is kept: by the habit of the charts it stands at their end.
func (c *Chart) Mentioning(word string) *Chart {
	part := *c.chart
	part.SetDependencies(c.chart.Dependencies()...)
	part.Templates = nil
	for _, template := range c.chart.Templates {
		text := template.Data
		if !strings.HasPrefix(path.Base(template.Name), "_") && !bytes.Contains(text, []byte(word)) {
			if text = definitions(text); text == nil {
				continue
			}
		}
		part.Templates = append(part.Templates, &chart.File{Name: template.Name, Data: text})
	}
	return &Chart{chart: &part, schema: c.schema, compiled: c.compiled}
}

// definitions returns a template from its first define on; nil where there is none.
func definitions(text []byte) []byte {
	if at := bytes.Index(text, []byte("{{- define")); at >= 0 {
		return text[at:]
	}
	return nil
}

// Render returns the chart's objects as text, by template, checked against its schema as Helm does.
// Several renders may go on at once.
func (c *Chart) Render(values map[string]any) (map[string]string, error) {
	options := chartutil.ReleaseOptions{Name: "cf", Namespace: "codefresh", IsInstall: true}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.34.4", Major: "1", Minor: "34"}
	all, err := chartutil.ToRenderValuesWithSchemaValidation(c.chart, values, options, capabilities, true)
	if err != nil {
		return nil, err
	}
	if err := c.validate(all["Values"]); err != nil {
		return nil, err
	}
	rendered, err := engine.Render(c.chart, all)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(rendered, func(name, text string) bool {
		return strings.HasSuffix(name, "NOTES.txt") || strings.TrimSpace(text) == ""
	})
	return rendered, nil
}

// validate is Helm's own check with the schema compiled once.
func (c *Chart) validate(values any) error {
	text, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("values of %s: %w", c.chart.Name(), err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("values of %s: %w", c.chart.Name(), err)
	}
	return c.compiled.Validate(document)
}

// Value returns what a path is set to when values are given.
func (c *Chart) Value(values map[string]any, path []string) (any, error) {
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
