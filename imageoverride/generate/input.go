// Package generate plans the files of image-override for one chart: it renders,
// locates, solves, proves and returns what to write. Nothing is written here
// but by Result.Write.
package generate

import (
	"fmt"
	"os"
	"strings"

	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/render"
	"gitops-runtime/imageoverride/values"
)

// Options is what a user asks for.
type Options struct {
	// Chart is a chart directory or archive. Directories may have file://
	// dependencies that nobody has built.
	Chart string
	// Registry is the private registry, host[:port][/path].
	Registry string
	// Strategy lays images out there; mapping.HostPrefix when empty.
	Strategy mapping.Strategy
	// Table gives single source hosts a target prefix of their own.
	Table map[string]string
	// Values are the user's values of all scenarios.
	Values Values
	// Scenarios are ways of installing the chart, each on top of Values. With
	// none there is one scenario: Values alone.
	Scenarios []Scenario
	// Everything adds to each scenario one with all switches on that go together.
	Everything bool
	// Digests are those to write into values, by source reference; nil writes none.
	Digests map[string]string
	// ExtraImages are mirrored in addition to what is found.
	ExtraImages []string
	// Settings are those of the render.
	Settings render.Settings
	// Earlier is the folder of an earlier run, whose comments and list of
	// sources are carried over; none when empty.
	Earlier string
}

// Scenario is a named set of values.
type Scenario struct {
	Name   string
	Values Values
}

// Values is where values come from, in the order Helm reads them.
type Values struct {
	// Files are paths of YAML files.
	Files []string
	// Set and SetString are "path=value" texts as with Helm's flags.
	Set, SetString []string
	// Tree is laid below everything else.
	Tree map[string]any
}

// load merges all sources on top of base.
func (v Values) load(base map[string]any) (map[string]any, error) {
	tree := values.Merge(base, v.Tree)
	for _, file := range v.Files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("values file %s cannot be read: %w", file, err)
		}
		var content map[string]any
		if err := yaml.Unmarshal(data, &content); err != nil {
			return nil, fmt.Errorf("values file %s is not a YAML map: %s", file, plain(err))
		}
		tree = values.Merge(tree, content)
	}
	for _, text := range v.Set {
		if err := strvals.ParseInto(text, tree); err != nil {
			return nil, fmt.Errorf("--set %s: %w; write path=value", text, err)
		}
	}
	for _, text := range v.SetString {
		if err := strvals.ParseIntoString(text, tree); err != nil {
			return nil, fmt.Errorf("--set-string %s: %w; write path=value", text, err)
		}
	}
	return tree, nil
}

// plain is what a YAML parser found, without what it meant to do with it.
func plain(err error) string {
	if text, syntax := strings.CutPrefix(err.Error(), "error converting YAML to JSON: yaml: "); syntax {
		return text
	}
	return "its top level is not a map"
}

// ParseScenario reads "name=file.yaml[,file.yaml...]".
func ParseScenario(text string) (Scenario, error) {
	name, files, found := strings.Cut(text, "=")
	if !found || name == "" || files == "" {
		return Scenario{}, fmt.Errorf("--scenario %q: write name=file.yaml[,file.yaml]", text)
	}
	return Scenario{Name: name, Values: Values{Files: strings.Split(files, ",")}}, nil
}

// user is one scenario with its values read.
type user struct {
	name string
	tree map[string]any
}

func (o Options) users() ([]user, error) {
	base, err := o.Values.load(nil)
	if err != nil {
		return nil, err
	}
	if len(o.Scenarios) == 0 {
		return []user{{name: "default", tree: base}}, nil
	}
	var all []user
	seen := map[string]bool{}
	for _, scenario := range o.Scenarios {
		if seen[scenario.Name] {
			return nil, fmt.Errorf("scenario %s is given twice; name each once", scenario.Name)
		}
		seen[scenario.Name] = true
		tree, err := scenario.Values.load(base)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", scenario.Name, err)
		}
		all = append(all, user{name: scenario.Name, tree: tree})
	}
	return all, nil
}
