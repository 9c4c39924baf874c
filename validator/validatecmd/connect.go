package validatecmd

import (
	"context"
	"errors"

	"gitops-runtime/validator/cluster"
)

// InPod connects to the cluster of the pod in which the program runs; it does not read kubeconfig files.
func InPod(_ context.Context, how Connection) (Cluster, string, error) {
	if !how.InCluster {
		return nil, "", errors.New("this build of validate-values is for pods and reads no kubeconfig; run the released program on your machine")
	}
	client, err := cluster.InCluster()
	if err != nil {
		return nil, "", err
	}
	return client, "", nil
}
