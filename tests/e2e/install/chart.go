package install

import (
	"context"
	"path/filepath"
	"slices"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/tests/e2e/images"
)

// Chart is a chart of the checkout that is installed separately.
type Chart struct {
	// Name is the chart's folder below charts/.
	Name string
	// Scenarios are values files of its folder ci/, without the suffix -values.yaml; the chart is installed with each, and without any.
	Scenarios []string
}

// Path returns the chart's folder.
func (l *Local) Path(chart Chart) string { return filepath.Join(l.Root, "charts", chart.Name) }

// Scenario returns the values file of a scenario.
func (l *Local) Scenario(chart Chart, name string) string {
	return filepath.Join(l.Path(chart), "ci", name+"-values.yaml")
}

// PrepareChart pushes the images of a chart to the private registry, and returns the values file that redirects the chart to them in every scenario.
// Prepare has prepared the cluster.
func (l *Local) PrepareChart(ctx context.Context, chart Chart) (string, error) {
	options := generate.Options{Scenarios: []generate.Scenario{{Name: "default"}}}
	for _, name := range chart.Scenarios {
		options.Scenarios = append(options.Scenarios, generate.Scenario{Name: name, Values: generate.Values{Files: []string{l.Scenario(chart, name)}}})
	}
	result, err := l.overrideChart(ctx, chart.Name, options)
	if err != nil {
		return "", err
	}
	runs, err := l.Catalog.ForMode(images.Tunnel)
	if err != nil {
		return "", err
	}
	var wanted []string
	for _, pair := range result.Mirror {
		if slices.Contains(runs, pair.Source) {
			wanted = append(wanted, pair.Source)
		}
	}
	available, err := l.Catalog.Ensure(ctx, wanted, l.Observer)
	if err != nil {
		return "", err
	}
	made, err := l.keepOverrides(result, "values-images-"+chart.Name+".yaml", available)
	if err != nil {
		return "", err
	}
	_, err = l.offer(ctx, made)
	return made.valuesFile, err
}
