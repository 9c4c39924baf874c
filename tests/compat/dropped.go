package compat

import "gitops-runtime/internal/dropped"

// AllDropped returns the values that a chart and, below their keys, its dependencies drop or rename.
func AllDropped(chart *Chart) ([]dropped.Value, error) {
	all, err := dropped.Of(chart.chart.Name())
	if err != nil {
		return nil, err
	}
	for _, dependency := range chart.chart.Dependencies() {
		below, err := dropped.Below(dependency.Name(), dependency.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// Dropped returns the entry that drops or renames a value, if any.
func Dropped(entries []dropped.Value, path dropped.Path) (dropped.Value, bool) {
	for _, entry := range entries {
		if path.Within(entry.Path) && !entry.List { // a value that is dropped only as a list is honored otherwise
			return entry, true
		}
	}
	return dropped.Value{}, false
}
