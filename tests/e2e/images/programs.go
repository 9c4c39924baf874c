package images

import (
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/tests/e2e/images/gobuild"
)

// The programs built from Go modules. Each folder under tests/e2e/programs contains the go.mod of the program's publisher, with the program itself
// added.
var (
	frpc          = frpProgram("frpc")
	frps          = frpProgram("frps")
	natsServer    = gobuild.Program{Name: "nats-server", Dir: "tests/e2e/programs/nats", Package: "github.com/nats-io/nats-server/v2"}
	natsStreaming = gobuild.Program{Name: "nats-streaming-server", Dir: "tests/e2e/programs/nats-streaming", Package: "github.com/nats-io/nats-streaming-server"}
	kustomize     = gobuild.Program{Name: "kustomize", Dir: "tests/e2e/programs/kustomize", Package: "sigs.k8s.io/kustomize/kustomize/v5"}
	helm          = gobuild.Program{Name: "helm", Dir: "tests/e2e/programs/helm", Package: "helm.sh/helm/v3/cmd/helm"}
	kubeRouter    = gobuild.Program{
		Name: "kube-router", Dir: "tests/e2e/programs/kube-router", Package: "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router",
		LDFlags: "-X github.com/cloudnativelabs/kube-router/v2/pkg/version.Version=v2.1.0",
	}
	traefik    = gobuild.Program{Name: "traefik", Dir: "tests/e2e/programs/traefik", Package: "github.com/traefik/traefik/v3/cmd/traefik"}
	argoEvents = gobuild.Program{
		Name: "argo-events", Dir: "tests/e2e/programs/argo-events", Package: "github.com/argoproj/argo-events/cmd",
		LDFlags: "-X github.com/argoproj/argo-events.version=v1.9.10",
	}
	argocd = gobuild.Program{
		Name: "argocd", Dir: "tests/e2e/programs/argo-cd", Package: "github.com/argoproj/argo-cd/v3/cmd",
		LDFlags: "-X github.com/argoproj/argo-cd/v3/common.version=3.4.13",
	}
	sealedSecrets = gobuild.Program{
		Name: "sealed-secrets-controller", Dir: "tests/e2e/programs/sealed-secrets", Package: "github.com/bitnami-labs/sealed-secrets/cmd/controller",
		LDFlags: "-X main.VERSION=0.36.0",
	}
	kubectl = gobuild.Program{
		Name: "kubectl", Dir: "tests/e2e/programs/kubernetes", Package: "k8s.io/kubernetes/cmd/kubectl",
		LDFlags: "-X k8s.io/component-base/version.gitVersion=" + helmchart.TestedKubernetes + " -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34",
	}
	rolloutsController = rolloutsProgram("rollouts-controller")
	rolloutsPlugin     = rolloutsProgram("kubectl-argo-rollouts")
	workflowController = workflowsProgram("workflow-controller")
	argo               = workflowsProgram("argo")
	argoexec           = workflowsProgram("argoexec")
)

// frpProgram returns a program of frp without the dashboard, whose files are not in the module. frp's Makefile sets the tag noweb in that case, too.
func frpProgram(name string) gobuild.Program {
	return gobuild.Program{Name: name, Dir: "tests/e2e/programs/frp", Package: "github.com/fatedier/frp/cmd/" + name, Tags: "noweb"}
}

// TunnelPrograms returns frp's client and server, and the server of the platform's generation, for tests that run them.
func TunnelPrograms() (client, server, published gobuild.Program) {
	return frpc, frps, gobuild.Program{Name: "frps", Dir: "tests/e2e/programs/frp-published", Package: "github.com/fatedier/frp/cmd/frps"}
}

// rolloutsProgram returns a program of Argo Rollouts.
func rolloutsProgram(name string) gobuild.Program {
	const module = "github.com/argoproj/argo-rollouts"
	return gobuild.Program{
		Name: name, Dir: "tests/e2e/programs/argo-rollouts", Package: module + "/cmd/" + name,
		LDFlags: "-X " + module + "/utils/version.version=1.9.1",
	}
}

// workflowsProgram returns a program of Argo Workflows, whose module lacks two files: the web UI, which its build generates, and a symbolic link,
// which module zips cannot contain.
func workflowsProgram(name string) gobuild.Program {
	const module = "github.com/argoproj/argo-workflows/v3"
	return gobuild.Program{
		Name: name, Dir: "tests/e2e/programs/argo-workflows", Package: module + "/cmd/" + name,
		LDFlags: "-X " + module + ".version=v3.7.18",
		Copy: &gobuild.Copy{
			Module: module,
			Add:    map[string]string{"ui/dist/app/index.html": "<!doctype html><title>Argo Workflows</title>\n"},
			Clone:  map[string]string{"workflow/executor/osspecific/signal_linux.go": "workflow/executor/osspecific/signal_darwin.go"},
		},
	}
}

// ownProgram returns a program of this repository: module is the folder of its go.mod, folder that of its main package.
func ownProgram(name, module, folder string) gobuild.Program {
	return gobuild.Program{Name: name, Dir: module, Package: folder, Own: true}
}

// programList returns all programs of the recipes, for tests and prefetching.
func programList(rows []row) []gobuild.Program {
	var list []gobuild.Program
	seen := map[string]bool{}
	for _, row := range rows {
		for _, one := range row.recipe.programs {
			if !seen[one.program.Name] {
				seen[one.program.Name] = true
				list = append(list, one.program)
			}
		}
	}
	return list
}
