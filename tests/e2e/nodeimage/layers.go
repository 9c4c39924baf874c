package nodeimage

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"gitops-runtime/tests/e2e/images/ocilayer"
)

// searchPath is the environment variable PATH of the images.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// link returns a symbolic link.
func link(path, target string) ocilayer.Entry { return ocilayer.Entry{Path: path, Link: target} }

// program returns an executable copy of a file on this machine.
func program(path, source string) ocilayer.Entry {
	return ocilayer.Entry{Path: path, Mode: 0o755, HostFile: source}
}

// systemLayers returns the entries of the layers of the images that Kubernetes itself runs, by name. The directory bin contains the programs.
func systemLayers(bin string) map[string][]ocilayer.Entry {
	layers := map[string][]ocilayer.Entry{"kubernetes": {program("/usr/local/bin/kubernetes", filepath.Join(bin, "kubernetes"))}}
	for _, name := range kubernetesPrograms {
		layers["kubernetes"] = append(layers["kubernetes"], link("/usr/local/bin/"+name, "kubernetes"))
	}
	for _, name := range []string{"sh", "cat", "ls", "mkdir", "nc", "rm", "sleep"} {
		layers["tools"] = append(layers["tools"], link("/bin/"+name, "busybox"))
	}
	for _, family := range []string{"iptables", "ip6tables"} {
		for _, tool := range []string{"", "-save", "-restore"} {
			layers["tools"] = append(layers["tools"], link("/usr/sbin/"+family+tool, "xtables-nft-multi"))
		}
	}
	for _, name := range []string{"etcd", "coredns", "pause", "local-path-provisioner"} {
		layers[name] = []ocilayer.Entry{
			{Path: "/tmp", Dir: true, Mode: 0o1777}, program("/usr/local/bin/"+name, filepath.Join(bin, name)),
		}
	}
	return layers
}

// systemImages returns the images that Kubernetes itself runs. The directory bin contains the programs, proxy is the layer of kube-proxy's tools.
func systemImages(bin, proxy string) (map[string]v1.Image, error) {
	layers := map[string]v1.Layer{}
	var err error
	if layers["proxy"], err = tarball.LayerFromFile(proxy); err != nil {
		return nil, err
	}
	for name, entries := range systemLayers(bin) {
		if layers[name], err = ocilayer.Lasting(entries); err != nil {
			return nil, err
		}
	}
	images := map[string]v1.Image{}
	for _, image := range []struct{ name, starts, layers string }{
		{toolsImage, "", "proxy tools"},
		{"registry.k8s.io/kube-proxy:" + Kubernetes, "kube-proxy", "proxy tools kubernetes"},
		{"registry.k8s.io/kube-apiserver:" + Kubernetes, "kube-apiserver", "kubernetes"},
		{"registry.k8s.io/kube-controller-manager:" + Kubernetes, "kube-controller-manager", "kubernetes"},
		{"registry.k8s.io/kube-scheduler:" + Kubernetes, "kube-scheduler", "kubernetes"},
		{etcdImage, "etcd", "etcd"}, {coreDNSImage, "coredns", "coredns"}, {pauseImage, "pause", "pause"},
		{storageImage, "local-path-provisioner", "local-path-provisioner"},
	} {
		config := v1.Config{Env: []string{searchPath}}
		if image.starts != "" {
			config.Entrypoint = []string{"/usr/local/bin/" + image.starts}
		}
		var parts []v1.Layer
		for part := range strings.FieldsSeq(image.layers) {
			parts = append(parts, layers[part])
		}
		if images[image.name], err = ocilayer.Image(config, parts...); err != nil {
			return nil, err
		}
	}
	return images, nil
}

// nodeEntries returns the upper layer of the node: Kubernetes from the directory bin, kind's files from the directory kind, the files of this package,
// and the archive images.
func nodeEntries(bin, kind, images string) []ocilayer.Entry {
	text := func(path, name string) ocilayer.Entry { return ocilayer.Entry{Path: path, Content: file(name)} }
	crictl := text("/usr/local/bin/crictl", "crictl")
	crictl.Mode = 0o755
	entries := []ocilayer.Entry{
		program("/usr/bin/kubernetes", filepath.Join(bin, "kubernetes")), crictl,
		{Path: "/kind/version", Content: Kubernetes},
		{Path: "/kind/images.tar", HostFile: images},
		{Path: "/etc/kubernetes/manifests", Dir: true},
		text("/kind/manifests/default-cni.yaml", "default-cni.yaml"),
		text("/kind/manifests/default-storage.yaml", "default-storage.yaml"),
		text("/etc/cni/net.d/10-pod-network.conflist", "pod-network.conflist"),
		text("/etc/containerd/config.toml", "containerd.toml"),
	}
	for _, name := range []string{"kubeadm", "kubectl", "kubelet"} {
		entries = append(entries, link("/usr/bin/"+name, "kubernetes"))
	}
	for _, name := range kindFiles {
		entries = append(entries, ocilayer.Entry{Path: "/" + name, Mode: modeOf(name), HostFile: filepath.Join(kind, name)})
	}
	const units = "/etc/systemd/system/"
	for _, unit := range []string{"refuse-early-packets.service", "import-images.service"} {
		entries = append(entries, text(units+unit, unit), link(units+"containerd.service.wants/"+unit, "../"+unit))
	}
	for _, unit := range []string{"containerd.service", "kubelet.service", "undo-mount-hacks.service"} {
		entries = append(entries, link(units+"multi-user.target.wants/"+unit, "../"+unit))
	}
	return entries
}

// writeArchive writes a Docker archive of images to a temporary file and renames it to out when it is complete.
func writeArchive(out string, images map[string]v1.Image) error {
	tagged := map[name.Tag]v1.Image{}
	for reference, image := range images {
		tag, err := name.NewTag(reference)
		if err != nil {
			return err
		}
		tagged[tag] = image
	}
	if err := tarball.MultiWriteToFile(out+".unfinished", tagged); err != nil {
		return err
	}
	return os.Rename(out+".unfinished", out)
}
