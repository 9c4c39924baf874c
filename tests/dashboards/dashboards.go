// Package dashboards generates the dashboards of the umbrella chart, and contains the table of the metrics that its programs expose.
package dashboards

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/generated"
)

//go:embed dashboards.yaml
var dashboards []byte

//go:embed metrics.yaml
var metrics []byte

// Metric describes a metric: its labels are those besides the ones that Prometheus adds to each target.
type Metric struct {
	Type     string   `json:"type"`
	Labels   []string `json:"labels"`
	Programs []string `json:"programs"`
	// Source is the file of the program's module with the metric, for one that is exposed only after an event.
	Source *Source `json:"source,omitempty"`
	// Pushed means that validate-values pushes it to a Pushgateway, or that this adds it; its labels stay as they are.
	Pushed bool `json:"pushed,omitempty"`
}

// Source is a file of a module that a program in tests/e2e/programs requires.
type Source struct {
	Program string `json:"program"`
	Module  string `json:"module"`
	File    string `json:"file"`
}

// Dashboard is a dashboard with its panels.
type Dashboard struct {
	Name   string  `json:"name"`
	Title  string  `json:"title"`
	Panels []Panel `json:"panels"`
}

// Panel is one graph, or with another Type one number or one table.
type Panel struct {
	Type        string   `json:"type"` // Type is "" for a graph, "stat" or "table".
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Expr        string   `json:"expr"`
	Legend      string   `json:"legend"`
	Unit        string   `json:"unit"`
	Bad         bool     `json:"bad"`     // Bad means that a stat of 1 and more is red.
	Columns     []string `json:"columns"` // Columns are the labels that a table shows.
}

// Metrics returns the table of metrics by name; a histogram has its name without a suffix.
func Metrics() (map[string]Metric, error) {
	var all map[string]Metric
	if err := yaml.UnmarshalStrict(metrics, &all); err != nil {
		return nil, fmt.Errorf("metrics.yaml: %w", err)
	}
	return all, nil
}

// Dashboards returns the table of dashboards.
func Dashboards() ([]Dashboard, error) {
	var all []Dashboard
	if err := yaml.UnmarshalStrict(dashboards, &all); err != nil {
		return nil, fmt.Errorf("dashboards.yaml: %w", err)
	}
	return all, nil
}

// Generate returns the dashboards' files by their paths below the root of the checkout.
func Generate() ([]generated.File, error) {
	all, err := Dashboards()
	if err != nil {
		return nil, err
	}
	var files []generated.File
	for _, dashboard := range all {
		text, err := json.Marshal(dashboard.model())
		if err != nil {
			return nil, err
		}
		path := filepath.Join("charts", "gitops-runtime", "files", "dashboards", dashboard.Name+".json")
		files = append(files, generated.File{Path: path, Text: append(text, '\n')})
	}
	return files, nil
}

// columns is the width of a dashboard in Grafana.
const columns = 24

// sizes are the widths and heights of panels by their type; panels of one row have the same height.
var sizes = map[string]struct{ width, height int }{"": {12, 8}, "stat": {6, 4}, "table": {24, 7}}

// model returns the panel without its place: https://grafana.com/docs/grafana/latest/panels-visualizations/.
func (p Panel) model(source map[string]any) map[string]any {
	target := map[string]any{"refId": "A", "datasource": source, "expr": p.Expr, "legendFormat": p.Legend}
	defaults := map[string]any{"unit": p.Unit, "min": 0}
	made := map[string]any{
		"type": "timeseries", "title": p.Title, "description": p.Description, "datasource": source, "targets": []any{target},
		"fieldConfig": map[string]any{"defaults": defaults, "overrides": []any{}},
	}
	switch p.Type {
	case "stat":
		made["type"], target["instant"] = p.Type, true
		made["options"] = map[string]any{"colorMode": "background", "graphMode": "none", "reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}}}
		steps := []any{map[string]any{"color": "green", "value": nil}}
		if p.Bad {
			steps = append(steps, map[string]any{"color": "red", "value": 1})
		} else {
			steps = []any{map[string]any{"color": "text", "value": nil}}
			made["options"].(map[string]any)["colorMode"] = "value"
		}
		defaults["thresholds"] = map[string]any{"mode": "absolute", "steps": steps}
	case "table":
		made["type"], target["instant"], target["format"] = p.Type, true, "table"
		made["transformations"] = []any{map[string]any{"id": "filterFieldsByName", "options": map[string]any{"include": map[string]any{"names": p.Columns}}}}
	}
	return made
}

// model returns the dashboard as Grafana imports it: https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/.
func (d Dashboard) model() map[string]any {
	source := map[string]any{"type": "prometheus", "uid": "${datasource}"}
	var panels []map[string]any
	x, y, height := 0, 0, 0
	for i, panel := range d.Panels {
		size := sizes[panel.Type]
		if x+size.width > columns {
			x, y = 0, y+height
		}
		made := panel.model(source)
		made["id"], made["gridPos"] = i+1, map[string]any{"x": x, "y": y, "w": size.width, "h": size.height}
		panels = append(panels, made)
		x, height = x+size.width, size.height
	}
	return map[string]any{
		"uid": "gitops-runtime-" + d.Name, "title": d.Title, "tags": []string{"gitops-runtime"}, "schemaVersion": 39, "editable": true,
		"refresh": "1m", "time": map[string]any{"from": "now-6h", "to": "now"}, "panels": panels,
		"templating": map[string]any{"list": []any{
			map[string]any{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
			map[string]any{
				"name": "namespace", "label": "Namespace", "type": "query", "datasource": source, "refresh": 2, "sort": 1,
				"query": map[string]any{"query": "label_values(up, namespace)", "refId": "namespace"},
			},
		}},
	}
}
