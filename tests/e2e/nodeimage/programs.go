package nodeimage

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"gitops-runtime/tests/e2e/images/gobuild"
	"gitops-runtime/tests/e2e/internal/process"
)

// goProgram is one Go program of the node, built from a module below tests/e2e/programs.
type goProgram struct {
	name, module, pkg, ldflags string
}

// versionFlags are the linker flags that set the version of Kubernetes, as its own build does.
const versionFlags = " -X k8s.io/component-base/version.gitVersion=" + Kubernetes +
	" -X k8s.io/component-base/version.gitMajor=1" +
	" -X k8s.io/component-base/version.gitMinor=34" +
	" -X k8s.io/component-base/version.gitTreeState=clean"

// programs are all Go programs of a node. "kubernetes" contains all programs of Kubernetes.
var programs = []goProgram{
	{"kubernetes", "kubernetes", ".", versionFlags},
	{"coredns", "node", "./coredns", ""},
	{"pause", "node", "./pause", ""},
	{"etcd", "node", "go.etcd.io/etcd/server/v3", ""},
	{"local-path-provisioner", "node", "github.com/rancher/local-path-provisioner", ""},
}

// kubernetesPrograms are the names of the programs that "kubernetes" contains. It runs the one by whose name it is called.
var kubernetesPrograms = []string{
	"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubeadm", "kubectl", "kubelet",
}

// compile builds a program from its module in source into the directory out.
func (p goProgram) compile(ctx context.Context, run process.Runner, source, out string) error {
	_, err := run(ctx, process.Command{
		Name: "go",
		Args: slices.Concat([]string{"build"}, gobuild.Flags(strings.TrimSpace(p.ldflags)), []string{"-o", filepath.Join(out, p.name), p.pkg}),
		Env:  gobuild.Environment("mod"),
		Dir:  filepath.Join(source, p.module),
	})
	return err
}
