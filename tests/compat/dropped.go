package compat

import "gitops-runtime/schema/dropped"

// AllDropped returns what a chart drops or renames: its own values and those of the charts it depends on, under their keys.
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

// Dropped tells whether a value is dropped, and by which entry.
func Dropped(entries []dropped.Value, path dropped.Path) (dropped.Value, bool) {
	for _, entry := range entries {
		if path.Within(entry.Path) {
			return entry, true
		}
	}
	return dropped.Value{}, false
}
