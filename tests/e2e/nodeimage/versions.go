package nodeimage

import "gitops-runtime/internal/helmchart"

// Kubernetes is the version of the nodes and of the Kubernetes images that kubeadm requests.
const Kubernetes = helmchart.TestedKubernetes

// Upstream is kind's published image of the same Kubernetes minor version, on Docker Hub.
const Upstream = "kindest/node:v1.34.3"

// These are the other images that kubeadm v1.34 requests, and those that files/default-storage.yaml and files/containerd.toml name.
const (
	etcdImage    = "registry.k8s.io/etcd:3.6.5-0"
	coreDNSImage = "registry.k8s.io/coredns/coredns:v1.12.1"
	pauseImage   = "registry.k8s.io/pause:3.10.1"
	storageImage = "localhost/local-path-provisioner:v0.0.30"
	toolsImage   = "localhost/node-tools:1"
)

// suite is the Debian release of the node. Its systemd 252 still supports cgroup v1, as kind's nodes must.
const suite = "bookworm"

// nodePackages are the Debian packages of a node.
var nodePackages = []string{
	"busybox-static", "ca-certificates", "conntrack", "containerd", "containernetworking-plugins", "curl", "e2fsprogs",
	"ethtool", "iproute2", "iptables", "jq", "kmod", "libseccomp2", "mount", "nftables", "pigz", "procps", "runc",
	"systemd", "systemd-sysv", "util-linux",
}

// proxyPackages are the Debian packages of the programs that kube-proxy runs and of the shell that the helper pods of volumes run.
var proxyPackages = []string{"busybox-static", "conntrack", "iptables", "kmod", "nftables"}
