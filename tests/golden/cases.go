package golden

import "slices"

// Case is a combination of values files of the umbrella chart. Files are relative to the chart's folder; later ones take precedence.
type Case struct {
	Name  string
	Files []string
}

// Base is the case whose golden file is complete; the files of other cases contain only the differences.
const Base = "tunnel"

// Kept returns the cases that have a golden file; together they use every template. tests/render/testdata/cases.yaml lists how the others differ from Base.
func Kept() []Case {
	return slices.DeleteFunc(Cases(), func(of Case) bool {
		return !slices.Contains([]string{Base, "everything-on", "everything-off"}, of.Name)
	})
}

// Cases returns the cases that are rendered and checked against Kubernetes' schemas, Base first.
func Cases() []Case {
	return []Case{
		{Base, []string{"ci/tunnel-values.yaml"}},
		{"ingress", []string{"ci/ingress-values.yaml"}},
		{"gateway", []string{"ci/gateway-values.yaml"}},
		{"mesh", []string{"ci/mesh-values.yaml"}},
		{"ha", []string{"ci/tunnel-values.yaml", "values-ha.yaml"}},
		{"large", []string{"ci/tunnel-values.yaml", "values-large.yaml"}},
		{"own-argo-cd", []string{"ci/own-argo-cd-values.yaml"}},
		{"single-namespace", []string{"ci/single-namespace-values.yaml"}},
		{"everything-on", []string{"values-ha.yaml", "ci/everything-on-values.yaml"}},
		{"everything-off", []string{"ci/everything-off-values.yaml"}},
	}
}
