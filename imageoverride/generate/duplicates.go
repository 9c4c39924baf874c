package generate

import (
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/outfile"
)

// duplicates warns about duplicate keys of maps: in the values of the chart and of its dependencies, in those of the user, and in rendered manifests.
func (r *run) duplicates(loaded *chart.Chart) []string {
	var all []string
	for _, file := range loaded.Raw {
		if file.Name == "values.yaml" {
			all = append(all, duplicatesIn(loaded.ChartFullPath()+"/values.yaml", file.Data)...)
		}
	}
	for _, child := range loaded.Dependencies() {
		all = append(all, r.duplicates(child)...)
	}
	if !loaded.IsRoot() {
		return all
	}
	files := slices.Clone(r.options.Values.Files)
	for _, scenario := range r.options.Scenarios {
		files = append(files, scenario.Values.Files...)
	}
	slices.Sort(files)
	for _, name := range slices.Compact(files) {
		if name == "-" {
			all = append(all, duplicatesIn("standard input", r.options.text)...)
		} else if text, err := outfile.ReadRegular(strings.TrimPrefix(name, "file://"), maxEarlier); err == nil {
			all = append(all, duplicatesIn(name, text)...)
		}
	}
	return append(all, r.renderedTwice()...)
}

func duplicatesIn(name string, text []byte) []string {
	var all []string
	for _, one := range helmvalues.Duplicates(text) {
		all = append(all, fmt.Sprintf("%s, %s", name, one))
	}
	return all
}

// renderedTwice warns about duplicate keys in the manifests of all scenarios.
func (r *run) renderedTwice() []string {
	var all []string
	for _, scenario := range r.scenarios {
		for _, document := range scenario.Base.Documents {
			for _, one := range r.index.Duplicates(document) {
				text := fmt.Sprintf("template %s renders key %s of one map twice (manifest %d, line %d); the last one counts", document.Template, one.Key, document.Index+1, one.Line)
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
	}
	return all
}
