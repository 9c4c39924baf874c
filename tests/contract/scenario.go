package contract

import (
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/contract/facts"
	"gitops-runtime/tests/render"
)

//go:embed scenarios
var scenarios embed.FS

// release returns the names of the release in the scenarios, as in their values for runtime and account. No name is a part of another word.
func release(of *chart.Metadata) facts.Release {
	return facts.Release{
		Name: "rlsname", Namespace: "nspname", Runtime: "rtmname", Account: "accaccaccaccaccaccaccacc",
		ChartVersion: of.Version, AppVersion: of.AppVersion,
	}
}

// ScenarioValues returns the values of a scenario, including the base's.
func ScenarioValues(scenario string) (map[string]any, error) {
	values := map[string]any{}
	for _, name := range files(scenario) {
		text, err := fs.ReadFile(scenarios, name)
		if err != nil {
			return nil, fmt.Errorf("scenario %s has no values: create tests/contract/%s: %w", scenario, name, err)
		}
		read, err := chartutil.ReadValues(text)
		if err != nil {
			return nil, fmt.Errorf("tests/contract/%s: %w", name, err)
		}
		values = chartutil.MergeTables(read, values)
	}
	return values, nil
}

// files returns the values files of the base and of scenarios; later ones override earlier ones.
func files(of ...string) []string {
	all := []string{"scenarios/" + Base + ".yaml"}
	for _, name := range of {
		if name != Base && name != Subcharts {
			all = append(all, "scenarios/"+name+".yaml")
		}
	}
	return all
}

// Render returns the facts of the umbrella chart in a scenario, or in several together.
func Render(scenario ...string) (*facts.Set, error) {
	root, err := gomodule.Root()
	if err != nil {
		return nil, err
	}
	about, err := chartutil.LoadChartfile(filepath.Join(root, "charts", "gitops-runtime", "Chart.yaml"))
	if err != nil {
		return nil, fmt.Errorf("read the chart's Chart.yaml: %w", err)
	}
	called := release(about)
	of := render.Release{
		Chart: "gitops-runtime", Name: called.Name, Namespace: called.Namespace,
		APIs: []string{"monitoring.coreos.com/v1", "gateway.networking.k8s.io/v1"},
	}
	for _, name := range files(scenario...) {
		of.Values = append(of.Values, filepath.Join(root, "tests", "contract", filepath.FromSlash(name)))
	}
	objects, err := of.Read()
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", strings.Join(scenario, " with "), err)
	}
	return facts.Of(objects, called), nil
}
