package nodeimage

import "strings"

// kindFiles are the files of kind's own base image that a node needs, relative to images/base/files of its module. Kind's containerd configuration is
// not among them, because it is for a newer containerd than Debian's.
var kindFiles = []string{
	"etc/crictl.yaml",
	"etc/default/kubelet",
	"etc/sysctl.d/10-network-magic.conf",
	"etc/sysctl.d/10-network-security.conf",
	"etc/systemd/system/containerd.service",
	"etc/systemd/system/kubelet.service",
	"etc/systemd/system/kubelet.service.d/10-kubeadm.conf",
	"etc/systemd/system/kubelet.service.d/11-kind.conf",
	"etc/systemd/system/kubelet.slice",
	"etc/systemd/system/undo-mount-hacks.service",
	"kind/bin/create-kubelet-cgroup-v2.sh",
	"kind/bin/mount-product-files.sh",
	"kind/bin/undo-mount-hacks.sh",
	"usr/local/bin/entrypoint",
}

// modeOf returns the mode of one of kind's files. A module does not store modes, so the path determines whether a file is executable.
func modeOf(file string) int64 {
	if strings.Contains(file, "/bin/") {
		return 0o755
	}
	return 0o644
}
