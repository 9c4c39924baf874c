package helmchart

import (
	"fmt"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/budget"
)

// measured holds the values of a chart and of those below it to what any chart
// needs; Helm's loader bounds the files themselves.
func measured(path string, loaded *chart.Chart) error {
	limits := budget.Default()
	nodes := int64(0)
	if err := measure(loaded.Values, 0, limits, &nodes); err != nil {
		return fmt.Errorf("chart %s: the values of %s %w", path, loaded.Name(), err)
	}
	for _, child := range loaded.Dependencies() {
		if err := measured(path, child); err != nil {
			return err
		}
	}
	return nil
}

func measure(node any, depth int, limits budget.Limits, nodes *int64) error {
	if depth > limits.Nesting {
		return fmt.Errorf("are nested more than %d levels deep", limits.Nesting)
	}
	if *nodes++; *nodes > limits.Nodes {
		return fmt.Errorf("are more than %d", limits.Nodes)
	}
	switch typed := node.(type) {
	case map[string]any:
		for _, child := range typed {
			if err := measure(child, depth+1, limits, nodes); err != nil {
				return err
			}
		}
	case []any:
		for _, child := range typed {
			if err := measure(child, depth+1, limits, nodes); err != nil {
				return err
			}
		}
	}
	return nil
}
