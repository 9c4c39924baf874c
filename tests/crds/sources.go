// Package crds generates the custom resource definitions of the charts: from the definitions in the pinned modules of the projects, and from the
// contract of the runtime's own kinds, which have no public source.
package crds

import "context"

// Source is a set of definitions and the folder of the generated files.
type Source struct {
	Origin Origin
	Target string // folder of the files, relative to the repository's root
	Count  int    // expected number of definitions in the origin; another number is an error
}

// Origin provides definitions. root is the repository's root.
type Origin interface {
	Definitions(ctx context.Context, root string) ([]Definition, error)
	String() string
}

// Sources lists every set of definitions. Argo Workflows has two: the minimal ones are installed by default; the full ones have the whole schema, which
// alone is larger than a Helm release may be, and are for clusters where something else installs them.
func Sources() []Source {
	return []Source{
		{
			Origin: Module{Program: "argo-cd", Path: "github.com/argoproj/argo-cd/v3", Folder: "manifests/crds"},
			Target: "charts/argo-cd/files/crds", Count: 3,
		},
		{
			Origin: Module{Program: "argo-rollouts", Path: "github.com/argoproj/argo-rollouts", Folder: "manifests/crds"},
			Target: "charts/argo-rollouts/files/crds", Count: 5,
		},
		{
			Origin: Module{Program: "argo-workflows", Path: "github.com/argoproj/argo-workflows/v3", Folder: "manifests/base/crds/minimal"},
			Target: "charts/argo-workflows/files/crds/minimal", Count: 8,
		},
		{
			Origin: Module{Program: "argo-workflows", Path: "github.com/argoproj/argo-workflows/v3", Folder: "manifests/base/crds/full"},
			Target: "charts/argo-workflows/files/crds/full", Count: 8,
		},
		{
			Origin: Module{Program: "argo-events", Path: "github.com/argoproj/argo-events", Folder: "manifests/base/crds"},
			Target: "charts/argo-events/files/crds", Count: 3,
		},
		{
			Origin: Contract{Table: "tests/contract/runtime-contract-0.30.0.tsv", Group: "codefresh.io"},
			Target: "charts/gitops-runtime/files/crds/codefresh.io", Count: 6,
		},
		{
			Origin: Module{Program: "sealed-secrets", Path: "github.com/bitnami-labs/sealed-secrets", Folder: "helm/sealed-secrets/crds"},
			Target: "charts/gitops-runtime/files/crds/bitnami.com", Count: 1,
		},
		// for local clusters, whose gateway is Traefik
		{
			Origin: Module{Program: "traefik", Path: "sigs.k8s.io/gateway-api", Folder: "config/crd/standard"},
			Target: "tests/e2e/addons/definitions", Count: 6,
		},
	}
}
