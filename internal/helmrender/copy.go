package helmrender

import (
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/helmvalues"
)

// clone copies the parts of a chart that Helm changes when it looks for the enabled dependencies: metadata, default values and the tree of charts.
// Templates and files are shared.
func clone(of *chart.Chart) *chart.Chart {
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
		out.AddDependency(clone(child))
	}
	return out
}
