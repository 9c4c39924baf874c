package helmchart

import (
	"os"
	"path/filepath"
	"strings"
)

// Umbrella is the name of the chart whose values are checked.
const Umbrella = "gitops-runtime"

// Runtime returns the umbrella chart among the dependencies of a chart, nil for the umbrella chart itself and for a chart without it.
func (c *Chart) Runtime() *Chart {
	if c.Title == Umbrella {
		return nil
	}
	for _, dependency := range c.Dependencies {
		if dependency.Title == Umbrella {
			return dependency.Chart
		}
	}
	return nil
}

// Find searches for the umbrella chart in a directory and its parents: in each, or in charts/gitops-runtime below it. It returns "" if there is none.
func Find(start string) string {
	for at := start; ; at = filepath.Dir(at) {
		if data, err := os.ReadFile(filepath.Join(at, "Chart.yaml")); err == nil && strings.Contains(string(data), "name: "+Umbrella+"\n") {
			return at
		}
		below := filepath.Join(at, "charts", Umbrella)
		if _, err := os.Stat(filepath.Join(below, "Chart.yaml")); err == nil {
			return below
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
