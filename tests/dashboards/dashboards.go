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

// Panel is one graph.
type Panel struct {
	Title  string `json:"title"`
	Expr   string `json:"expr"`
	Legend string `json:"legend"`
	Unit   string `json:"unit"`
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

// model returns the dashboard as Grafana imports it: https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/.
func (d Dashboard) model() map[string]any {
	source := map[string]any{"type": "prometheus", "uid": "${datasource}"}
	var panels []map[string]any
	for i, panel := range d.Panels {
		panels = append(panels, map[string]any{
			"id": i + 1, "type": "timeseries", "title": panel.Title, "datasource": source,
			"gridPos":     map[string]any{"x": 12 * (i % 2), "y": 8 * (i / 2), "w": 12, "h": 8},
			"fieldConfig": map[string]any{"defaults": map[string]any{"unit": panel.Unit, "min": 0}, "overrides": []any{}},
			"targets":     []any{map[string]any{"refId": "A", "datasource": source, "expr": panel.Expr, "legendFormat": panel.Legend}},
		})
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
