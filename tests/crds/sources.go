// Package crds derives the custom resource definitions that the charts ship from the
// definitions in the pinned modules of the Argo projects, and those of the Gateway API
// that local clusters have.
package crds

// Source says where a set of definitions stands in a module and where its copies go.
type Source struct {
	Program string // folder below tests/programs whose go.mod pins the module
	Module  string // module path
	Folder  string // folder of the definitions inside the module
	Target  string // folder of the copies, relative to the repository's root
	Count   int    // how many definitions the folder is known to hold; another number is an error
}

// Sources lists every set of definitions. Argo Workflows has two: the minimal ones are
// installed by default; the full ones carry the whole schema, which alone is larger than what a
// Helm release may weigh, and are for clusters where something else installs them.
func Sources() []Source {
	return []Source{
		{
			Program: "argo-cd", Module: "github.com/argoproj/argo-cd/v3",
			Folder: "manifests/crds", Target: "charts/argo-cd/files/crds", Count: 3,
		},
		{
			Program: "argo-rollouts", Module: "github.com/argoproj/argo-rollouts",
			Folder: "manifests/crds", Target: "charts/argo-rollouts/files/crds", Count: 5,
		},
		{
			Program: "argo-workflows", Module: "github.com/argoproj/argo-workflows/v3",
			Folder: "manifests/base/crds/minimal", Target: "charts/argo-workflows/files/crds/minimal", Count: 8,
		},
		{
			Program: "argo-workflows", Module: "github.com/argoproj/argo-workflows/v3",
			Folder: "manifests/base/crds/full", Target: "charts/argo-workflows/files/crds/full", Count: 8,
		},
		{
			Program: "argo-events", Module: "github.com/argoproj/argo-events",
			Folder: "manifests/base/crds", Target: "charts/argo-events/files/crds", Count: 3,
		},
		// the umbrella has objects of these kinds itself; Helm looks kinds up before it creates anything, so their
		// definitions have to come first, and only what stands in crds/ does
		{
			Program: "argo-events", Module: "github.com/argoproj/argo-events",
			Folder: "manifests/base/crds", Target: "charts/gitops-runtime/crds", Count: 3,
		},
		// for local clusters, whose gateway is Traefik
		{
			Program: "traefik", Module: "sigs.k8s.io/gateway-api",
			Folder: "config/crd/standard", Target: "tests/standin/manifests/definitions", Count: 6,
		},
	}
}
