package render_test

import "gitops-runtime/tests/render"

// modes returns the access modes with a values file in the umbrella's ci/ folder.
func modes() []string { return []string{"tunnel", "ingress", "gateway", "mesh"} }

// umbrella returns a release of the umbrella chart in an access mode.
func umbrella(mode string, set map[string]string) render.Release {
	return render.Release{Chart: "gitops-runtime", Files: []string{mode}, Set: set}
}
