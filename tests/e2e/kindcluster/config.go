package kindcluster

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/imageregistry"
	"gitops-runtime/tests/e2e/nodeimage"
)

// Port maps a port of 127.0.0.1 to a node port.
type Port struct {
	Host, Node int
}

// The ports of the cluster on this machine.
var (
	// HTTP is for the ingress controller and the gateway of the service mesh.
	HTTP = Port{Host: 8080, Node: addons.HTTPNodePort}
	// HTTPS is for the platform's front, which also serves the tunnels.
	HTTPS = Port{Host: 8443, Node: addons.HTTPSNodePort}
	// Ports are both.
	Ports = []Port{HTTP, HTTPS}
)

// registryPatch configures containerd in upstream's node image to read the same directory of registries as in the built image, which does not need
// the patch. kind restarts containerd after it.
const registryPatch = `containerdConfigPatches:
  - |-
    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = "/etc/containerd/certs.d"
`

// config returns the kind configuration of a cluster with the node image; patches is the folder of kubeadm's patches on this machine.
func config(name string, ports []Port, image, patches string) string {
	var out strings.Builder
	out.WriteString("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nname: " + name + "\n")
	if image == nodeimage.Upstream {
		out.WriteString(registryPatch)
	}
	out.WriteString("nodes:\n  - role: control-plane\n    image: " + image + "\n")
	out.WriteString("    extraMounts: [{hostPath: " + strconv.Quote(patches) + ", containerPath: " + inNodePatches + ", readOnly: true}]\n")
	out.WriteString("    kubeadmConfigPatches: ['{kind: InitConfiguration, patches: {directory: " + inNodePatches + "}}']\n")
	if len(ports) > 0 {
		out.WriteString("    extraPortMappings:\n")
	}
	for _, port := range ports {
		fmt.Fprintf(&out, "      - {containerPort: %d, hostPort: %d, listenAddress: 127.0.0.1}\n", port.Node, port.Host)
	}
	return out.String()
}

// hosts returns the configuration by which containerd uses plain HTTP for the private registry.
func hosts(address string) string {
	return fmt.Sprintf("server = \"http://%[1]s\"\n\n[host.\"http://%[1]s\"]\n  capabilities = [\"pull\", \"resolve\"]\n", address)
}

// hostsDir is the directory of that configuration in a node.
const hostsDir = "/etc/containerd/certs.d/" + imageregistry.InCluster

// fingerprint identifies the configuration of a cluster, wherever its files are.
func fingerprint(name string, ports []Port, image string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(config(name, ports, image, "")+fmt.Sprint(controlPlane))))[:16]
}
