package nodeimage

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"gitops-runtime/localcluster/images/gobuild"
	"gitops-runtime/localcluster/internal/process"
)

// program is one Go program of the node, built from a module below localcluster/programs.
type program struct {
	name, module, pkg, ldflags string
}

// versionFlags stamp the version into Kubernetes, as its own build does.
const versionFlags = " -X k8s.io/component-base/version.gitVersion=" + Kubernetes +
	" -X k8s.io/component-base/version.gitMajor=1" +
	" -X k8s.io/component-base/version.gitMinor=34" +
	" -X k8s.io/component-base/version.gitTreeState=clean"

// programs are all Go programs of a node. "kubernetes" is every Kubernetes program in one.
var programs = []program{
	{"kubernetes", "kubernetes", ".", versionFlags},
	{"coredns", "node", "./coredns", ""},
	{"pause", "node", "./pause", ""},
	{"etcd", "node", "go.etcd.io/etcd/server/v3", ""},
	{"local-path-provisioner", "node", "github.com/rancher/local-path-provisioner", ""},
}

// kubernetesPrograms are the names "kubernetes" is called by in a node and in the images.
var kubernetesPrograms = []string{
	"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubeadm", "kubectl", "kubelet",
}

// compile builds a program into a directory.
func (p program) compile(ctx context.Context, run process.Runner, source, out string) error {
	_, err := run(ctx, process.Command{
		Name: "go",
		Args: slices.Concat([]string{"build"}, gobuild.Flags(strings.TrimSpace(p.ldflags)), []string{"-o", filepath.Join(out, p.name), p.pkg}),
		Env:  gobuild.Environment("mod"),
		Dir:  filepath.Join(source, p.module),
	})
	return err
}
