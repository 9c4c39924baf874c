package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// chart contains what the schema of a chart depends on besides its values.
type chart struct {
	Name         string
	Type         string
	Dependencies []struct{ Name, Alias, Repository string }
	dir          string
}

// subcharts returns the keys of the chart's dependencies in its values.
func (c chart) subcharts() []string {
	var keys []string
	for _, dependency := range c.Dependencies {
		if dependency.Alias != "" {
			keys = append(keys, dependency.Alias)
			continue
		}
		keys = append(keys, dependency.Name)
	}
	return keys
}

// readCharts returns the charts below root/charts that have values of their own, each after its dependencies.
func readCharts(root string) ([]chart, error) {
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "Chart.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list the charts: %w", err)
	}
	byName := map[string]chart{}
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a chart: %w", err)
		}
		c := chart{dir: filepath.Dir(file)}
		if err := yaml.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if _, err := os.Stat(filepath.Join(c.dir, "values.yaml")); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if c.Type != "library" {
			byName[c.Name] = c
			names = append(names, c.Name)
		}
	}
	return inOrder(names, byName), nil
}

func inOrder(names []string, byName map[string]chart) []chart {
	var ordered []chart
	var visit func(name string)
	visit = func(name string) {
		c, known := byName[name]
		if !known {
			return
		}
		delete(byName, name)
		for _, dependency := range c.Dependencies {
			visit(dependency.Name)
		}
		ordered = append(ordered, c)
	}
	slices.Sort(names)
	for _, name := range names {
		visit(name)
	}
	return ordered
}
