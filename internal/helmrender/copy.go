package helmrender

import (
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/helmvalues"
)

// Copy copies what Prepare and Release change of a chart: metadata, default values
// and the tree of charts. Templates and files are shared.
func Copy(of *chart.Chart) *chart.Chart {
	metadata := *of.Metadata
	metadata.Dependencies = make([]*chart.Dependency, len(of.Metadata.Dependencies))
	for i, dependency := range of.Metadata.Dependencies {
		if dependency != nil {
			copied := *dependency
			metadata.Dependencies[i] = &copied
		}
	}
	out := &chart.Chart{Metadata: &metadata, Lock: of.Lock, Templates: of.Templates, Values: helmvalues.CopyTree(of.Values), Schema: of.Schema, Files: of.Files}
	for _, child := range of.Dependencies() {
		out.AddDependency(Copy(child))
	}
	return out
}
