// Package local is what validate-values has on a person's machine and not in a
// pod: clusters by kubeconfig, and charts from registries. The libraries behind
// it are larger than all the rest of the program, so nothing but the main of that
// build imports it.
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

// Connect finds the cluster by a kubeconfig, or around a pod.
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

// BuiltIn is the chart as it was when the program was built.
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

// Registries reaches charts in registries, as the flags of one run say.
type Registries struct{ flags registry.Flags }

// Register adds the flags.
func (r *Registries) Register(flags *pflag.FlagSet) { r.flags.Register(flags) }

// Open is how the flags, and Helm's settings in the environment, say that
// registries are reached.
func (r *Registries) Open(getenv func(string) string) (helmchart.Registry, error) {
	return r.flags.Access(getenv)
}
