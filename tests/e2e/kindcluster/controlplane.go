package kindcluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// controlPlane are the CPU requests of the static pods: 200m together instead of the 650m of kubeadm, so that a machine with 2 CPUs has at least the
// room of the documented node, which does not run the control plane. Without requests, the API server would get almost no CPU time under contention.
var controlPlane = map[string]string{"etcd": "50m", "kube-apiserver": "100m", "kube-controller-manager": "30m", "kube-scheduler": "20m"}

// inNodePatches is the folder of kubeadm's patches in the node.
const inNodePatches = "/kind/patches"

// patchControlPlane writes patches for kubeadm with these requests into a folder.
func patchControlPlane(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, cpu := range controlPlane {
		patch := fmt.Sprintf("spec: {containers: [{name: %s, resources: {requests: {cpu: %s}}}]}\n", name, cpu)
		if err := os.WriteFile(filepath.Join(folder, name+"+strategic.yaml"), []byte(patch), 0o600); err != nil {
			return err
		}
	}
	return nil
}
