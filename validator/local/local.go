// Package local contains the features of validate-values on a user's machine that a pod does not have: clusters from a kubeconfig, and charts from
// registries. The libraries behind it are larger than the rest of the program, so only the main package of that build imports it.
package local

import (
	"context"

	"github.com/spf13/pflag"

	"gitops-runtime/charts"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/registry"
	"gitops-runtime/validator/cluster/kubeconfig"
	"gitops-runtime/validator/validatecmd"
)

// Connect connects to the cluster of a kubeconfig, or to that of the pod in which the program runs.
func Connect(ctx context.Context, how validatecmd.Connection) (validatecmd.Cluster, string, error) {
	if how.InCluster {
		return validatecmd.InPod(ctx, how)
	}
	client, namespace, err := kubeconfig.Connect(how.Kubeconfig, how.Context)
	if err != nil {
		return nil, "", err
	}
	return client, namespace, nil
}

// BuiltIn returns the chart that was embedded when the program was built.
func BuiltIn(ctx context.Context) (*helmchart.Chart, error) {
	files, err := charts.Umbrella()
	if err != nil {
		return nil, err
	}
	loaded, err := helmchart.Load(ctx, helmchart.Source{Name: "built into this program", Files: files})
	if err != nil {
		return nil, err
	}
	return helmchart.Of(loaded), nil
}

// Registries contacts the registries of charts, as configured by the flags of one run.
type Registries struct{ flags registry.Flags }

// Register adds the flags.
func (r *Registries) Register(flags *pflag.FlagSet) { r.flags.Register(flags) }

// Open returns the registries, as configured by the flags and by Helm's settings in the environment.
func (r *Registries) Open(getenv func(string) string) (helmchart.Registry, error) {
	return r.flags.Access(getenv)
}
