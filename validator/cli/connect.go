package cli

import (
	"context"

	"gitops-runtime/validator/cluster"
)

// Connect finds the cluster in the usual ways: around the pod, or by a
// kubeconfig.
func Connect(_ context.Context, how Connection) (Cluster, string, error) {
	if how.InCluster {
		client, err := cluster.InCluster()
		if err != nil {
			return nil, "", err
		}
		return client, "", nil
	}
	client, namespace, err := cluster.FromKubeconfig(how.Kubeconfig, how.Context)
	if err != nil {
		return nil, "", err
	}
	return client, namespace, nil
}
