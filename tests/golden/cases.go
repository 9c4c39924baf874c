package golden

// Case is one way of installing the umbrella chart. Files are values files in its folder; later ones win.
type Case struct {
	Name  string
	Files []string
}

// Base is the case that is kept whole; of the others only what differs from it.
const Base = "tunnel"

// Cases are the cases with a file, the base first.
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
