package nodeimage

import (
	"io/fs"
	"path/filepath"

	"gitops-runtime/localcluster/internal/archive"
)

// searchPath is the environment variable PATH of the images.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// writeImages writes the archive of the images that Kubernetes itself runs. The directory bin contains the programs, proxy is the layer of
// kube-proxy's tools, and work is the directory for the layers that it creates.
func writeImages(out, bin, proxy, work string) error {
	layers := map[string]func(*archive.Layer){
		"kubernetes": func(l *archive.Layer) {
			l.Copy("usr/local/bin/kubernetes", 0o755, filepath.Join(bin, "kubernetes"))
			for _, name := range kubernetesPrograms {
				l.Link("usr/local/bin/"+name, "kubernetes")
			}
		},
		"tools": func(l *archive.Layer) {
			for _, name := range []string{"sh", "cat", "ls", "mkdir", "nc", "rm", "sleep"} {
				l.Link("bin/"+name, "busybox")
			}
			for _, family := range []string{"iptables", "ip6tables"} {
				for _, tool := range []string{"", "-save", "-restore"} {
					l.Link("usr/sbin/"+family+tool, "xtables-nft-multi")
				}
			}
		},
	}
	for _, name := range []string{"etcd", "coredns", "pause", "local-path-provisioner"} {
		layers[name] = func(l *archive.Layer) {
			l.Dir("tmp", 0o777|fs.ModeSticky)
			l.Copy("usr/local/bin/"+name, 0o755, filepath.Join(bin, name))
		}
	}
	at := func(name string) string { return filepath.Join(work, name+".tar") }
	for name, fill := range layers {
		if err := writeLayer(at(name), fill); err != nil {
			return err
		}
	}
	start := func(program string) archive.Config {
		return archive.Config{Entrypoint: []string{"/usr/local/bin/" + program}, Env: []string{searchPath}}
	}
	images := []archive.Image{
		{Names: []string{toolsImage}, Layers: []string{proxy, at("tools")}, Config: archive.Config{Env: []string{searchPath}}},
		{
			Names:  []string{"registry.k8s.io/kube-proxy:" + Kubernetes},
			Layers: []string{proxy, at("tools"), at("kubernetes")}, Config: start("kube-proxy"),
		},
		{Names: []string{etcdImage}, Layers: []string{at("etcd")}, Config: start("etcd")},
		{Names: []string{coreDNSImage}, Layers: []string{at("coredns")}, Config: start("coredns")},
		{Names: []string{pauseImage}, Layers: []string{at("pause")}, Config: start("pause")},
		{Names: []string{storageImage}, Layers: []string{at("local-path-provisioner")}, Config: start("local-path-provisioner")},
	}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		images = append(images, archive.Image{
			Names: []string{"registry.k8s.io/" + name + ":" + Kubernetes}, Layers: []string{at("kubernetes")}, Config: start(name),
		})
	}
	return writeArchive(out, images...)
}

// writeNode writes the upper layer of the node: Kubernetes from the directory bin, kind's files from the directory kind, the files of this package,
// and the archive images.
func writeNode(out, bin, kind, images string) error {
	return writeLayer(out, func(l *archive.Layer) {
		l.Copy("usr/bin/kubernetes", 0o755, filepath.Join(bin, "kubernetes"))
		for _, name := range []string{"kubeadm", "kubectl", "kubelet"} {
			l.Link("usr/bin/"+name, "kubernetes")
		}
		for _, name := range kindFiles {
			l.Copy(name, modeOf(name), filepath.Join(kind, name))
		}
		l.Text("kind/version", 0o644, Kubernetes)
		l.Dir("etc/kubernetes/manifests", 0o755)
		l.Text("kind/manifests/default-cni.yaml", 0o644, file("default-cni.yaml"))
		l.Text("kind/manifests/default-storage.yaml", 0o644, file("default-storage.yaml"))
		l.Text("etc/cni/net.d/10-pod-network.conflist", 0o644, file("pod-network.conflist"))
		l.Text("etc/containerd/config.toml", 0o644, file("containerd.toml"))
		l.Text("usr/local/bin/crictl", 0o755, file("crictl"))
		for _, unit := range []string{"refuse-early-packets.service", "import-images.service"} {
			l.Text("etc/systemd/system/"+unit, 0o644, file(unit))
			l.Link("etc/systemd/system/containerd.service.wants/"+unit, "../"+unit)
		}
		for _, unit := range []string{"containerd.service", "kubelet.service", "undo-mount-hacks.service"} {
			l.Link("etc/systemd/system/multi-user.target.wants/"+unit, "../"+unit)
		}
		l.Copy("kind/images.tar", 0o644, images)
	})
}
