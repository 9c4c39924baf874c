package nodeimage

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images/ocilayer"
)

// binaries returns a directory with a file for each program.
func binaries(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		write(t, filepath.Join(dir, p.name), p.name+"'s code")
	}
	return dir
}

func TestNodeEntries(t *testing.T) {
	b := builder(t, nil)
	images := filepath.Join(t.TempDir(), "images")
	write(t, images, "all images")
	var layer bytes.Buffer
	require.NoError(t, ocilayer.WriteTar(&layer, nodeEntries(binaries(t), b.Kind, images)))

	want := map[string]string{
		"usr/bin/kubernetes": "kubernetes's code",
		"usr/bin/kubeadm":    "-> kubernetes",
		"usr/bin/kubectl":    "-> kubernetes",
		"usr/bin/kubelet":    "-> kubernetes",
		"kind/version":       "v1.34.4",
		"kind/images.tar":    "all images",

		"kind/manifests/default-cni.yaml":                                          file("default-cni.yaml"),
		"kind/manifests/default-storage.yaml":                                      file("default-storage.yaml"),
		"etc/cni/net.d/10-pod-network.conflist":                                    file("pod-network.conflist"),
		"etc/containerd/config.toml":                                               file("containerd.toml"),
		"usr/local/bin/crictl":                                                     file("crictl"),
		"etc/systemd/system/import-images.service":                                 file("import-images.service"),
		"etc/systemd/system/refuse-early-packets.service":                          file("refuse-early-packets.service"),
		"etc/systemd/system/containerd.service.wants/import-images.service":        "-> ../import-images.service",
		"etc/systemd/system/containerd.service.wants/refuse-early-packets.service": "-> ../refuse-early-packets.service",
		"etc/systemd/system/multi-user.target.wants/containerd.service":            "-> ../containerd.service",
		"etc/systemd/system/multi-user.target.wants/kubelet.service":               "-> ../kubelet.service",
		"etc/systemd/system/multi-user.target.wants/undo-mount-hacks.service":      "-> ../undo-mount-hacks.service",
	}
	for _, name := range kindFiles {
		want[name] = "as it was"
	}
	assert.Equal(t, want, contentOf(t, &layer))
}

func TestSystemImagesAreAllThatTheNodeAsksFor(t *testing.T) {
	proxy := filepath.Join(t.TempDir(), "proxy.tar")
	write(t, proxy, "tools")
	images, err := systemImages(binaries(t), proxy)
	require.NoError(t, err)
	layers := map[string]int{}
	for name, image := range images {
		parts, err := image.Layers()
		require.NoError(t, err)
		layers[name] = len(parts)
	}
	assert.Equal(t, map[string]int{
		"registry.k8s.io/kube-apiserver:v1.34.4":          1,
		"registry.k8s.io/kube-controller-manager:v1.34.4": 1,
		"registry.k8s.io/kube-scheduler:v1.34.4":          1,
		"registry.k8s.io/kube-proxy:v1.34.4":              3,
		"registry.k8s.io/etcd:3.6.5-0":                    1,
		"registry.k8s.io/coredns/coredns:v1.12.1":         1,
		"registry.k8s.io/pause:3.10.1":                    1,
		"localhost/local-path-provisioner:v0.0.30":        1,
		"localhost/node-tools:1":                          2,
	}, layers)

	named := regexp.MustCompile(`(?:image: |sandbox_image = "|--helper-image=)([^"\s]+)`)
	for _, source := range []string{"default-storage.yaml", "containerd.toml"} {
		for _, match := range named.FindAllStringSubmatch(file(source), -1) {
			assert.Contains(t, layers, match[1], source)
		}
	}
}

func TestMultiCallNamesCoverWhatIsLinked(t *testing.T) {
	for _, name := range []string{"kubeadm", "kubectl", "kubelet"} {
		assert.True(t, slices.Contains(kubernetesPrograms, name), name)
	}
	assert.True(t, strings.HasPrefix(versionFlags, " -X "))
}

func TestModeOf(t *testing.T) {
	for name, want := range map[string]int64{
		"usr/local/bin/entrypoint": 0o755, "kind/bin/undo-mount-hacks.sh": 0o755, "etc/crictl.yaml": 0o644,
	} {
		assert.Equal(t, want, modeOf(name), name)
	}
}
