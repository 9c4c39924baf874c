package images

import "gitops-runtime/hack/release/image"

// table is the catalog; registry and version are those of this project's own images. Images are built in this order: those that download quickly are first, so that
// compilers can work while the rest downloads.
func table(registry, version string) []row {
	return []row{
		// The tunnel: frp's client in the runtime, its server in the test platform.
		{name: "ghcr.io/fatedier/frpc:v0.70.0", modes: []Mode{Tunnel}, recipe: withShell(static(frpc, "/usr/bin/frpc", user{}))},
		{name: "ghcr.io/fatedier/frps:v0.70.0", modes: []Mode{Tunnel}, recipe: static(frps, "/usr/bin/frps", user{})},

		// The event bus. The controller of Argo Events starts /nats-server.
		{name: "docker.io/library/nats:2.11.17", modes: everyMode, recipe: static(natsServer, "/nats-server", user{})},
		{name: "docker.io/natsio/nats-server-config-reloader:0.19.1", modes: everyMode, recipe: natsReloader()},
		{name: "docker.io/natsio/prometheus-nats-exporter:0.17.3", modes: everyMode, recipe: standIn(ownUser, "nats-exporter")},

		{name: "docker.io/library/nats-streaming:0.25.6", recipe: static(natsStreaming, "/nats-streaming-server", user{})}, // for NATS Streaming

		// Programs that Debian packages.
		{name: "docker.io/nginxinc/nginx-unprivileged:1.31.7-alpine3.24", modes: everyMode, recipe: nginx()},
		{name: "public.ecr.aws/docker/library/redis:8.2.10-alpine", modes: everyMode, recipe: redis()},
		{name: "public.ecr.aws/docker/library/haproxy:3.3.14-alpine", modes: everyMode, recipe: haproxy()}, // for values-ha.yaml

		// Enforces NetworkPolicies on a node whose own network plugin does not.
		{name: "docker.io/cloudnativelabs/kube-router:v2.1.0", modes: everyMode, recipe: kubeRouterImage()},

		// Images of this project.
		{name: registry + "/gitops-runtime-installer:" + version, modes: everyMode, neverPull: true, recipe: own(image.Installer(), version)},
		{name: registry + "/validate-values:" + version, neverPull: true, recipe: own(image.Values(), version)},
		{name: registry + "/image-override:" + version, neverPull: true, recipe: own(image.Override(), version)},
		{name: "gitops-runtime/standin:dev", modes: everyMode, neverPull: true, recipe: withShell(standIn(user{}))}, // with git, which it serves, and as root, like most images of workflows

		// Programs that work only with the platform, for which local clusters also have a stand-in.
		{name: "quay.io/codefresh/cap-app-proxy:1.4124.0", modes: everyMode, neverPull: true, recipe: withShell(named(standIn(ownUser, "app-proxy")))}, // with git, by which it commits,
		{name: "quay.io/codefresh/cap-app-proxy-init:1.4124.0", modes: everyMode, neverPull: true, recipe: appProxyInit()},
		{name: "quay.io/codefresh/leader-elector:0.0.1", modes: everyMode, neverPull: true, recipe: leaderElector()},
		{name: "quay.io/codefresh/codefresh-gitops-operator:c0ef368", modes: everyMode, neverPull: true, recipe: standIn(ownUser, "gitops-operator")}, // the published chart demands that it is not root, and gives no number,
		{name: "quay.io/codefresh/cf-argocd-extras:4212bc7", modes: everyMode, neverPull: true, recipe: standIn(user{}, "argocd-extras")},

		{name: "quay.io/codefresh/sealed-secrets-controller:0.36.0", modes: everyMode, recipe: static(sealedSecrets, "/usr/local/bin/controller", sealedSecretsUser)},

		{name: "registry.k8s.io/kubectl:v1.34.4", recipe: static(kubectl, "/bin/kubectl", ownUser)},

		// Argo.
		{name: "quay.io/argoproj/workflow-controller:v3.7.18", modes: everyMode, recipe: withZones(static(workflowController, "/bin/workflow-controller", argoUser))},
		{name: "quay.io/argoproj/argocli:v3.7.18", modes: everyMode, recipe: withZones(static(argo, "/bin/argo", argoUser))},
		{name: "quay.io/argoproj/argoexec:v3.7.18", modes: everyMode, recipe: withZones(static(argoexec, "/bin/argoexec", user{}))},
		{name: "quay.io/argoproj/argo-events:v1.9.10", modes: everyMode, recipe: argoEventsImage()},
		{name: "quay.io/argoproj/argo-rollouts:v1.9.1", modes: everyMode, recipe: static(rolloutsController, "/bin/rollouts-controller", rolloutsUser)},
		{name: "quay.io/argoproj/kubectl-argo-rollouts:v1.9.1", recipe: static(rolloutsPlugin, "/bin/kubectl-argo-rollouts", rolloutsUser)},
		{name: "quay.io/argoproj/argocd:v3.4.13", modes: everyMode, recipe: argocdImage()},

		// For switches that are off by default; they need a registry.
		{name: "ghcr.io/dexidp/dex:v2.45.1", recipe: onlyPulled()},
		{name: "ghcr.io/oliver006/redis_exporter:v1.86.0", recipe: onlyPulled()},
		{name: "ghcr.io/oliver006/redis_exporter:v1.75.0", recipe: onlyPulled()},
		{name: "docker.io/alpine/kubectl:1.36.2", recipe: onlyPulled()},
		{name: "quay.io/argoprojlabs/argocd-extension-installer:v1.0.1", recipe: onlyPulled()},
		{name: "quay.io/codefreshplugins/argo-hub-codefresh-csdp-report-image-info:1.1.31", recipe: onlyPulled()},
		{name: "quay.io/codefreshplugins/argo-hub-codefresh-csdp-image-enricher-git-info:1.1.31", recipe: onlyPulled()},
		{name: "quay.io/codefreshplugins/argo-hub-codefresh-csdp-image-enricher-jira-info:1.1.31", recipe: onlyPulled()},

		// The ingress and gateway controller of local clusters: the costliest to build.
		{name: "docker.io/library/traefik:v3.6.12", modes: []Mode{Ingress, Gateway}, recipe: static(traefik, "/usr/local/bin/traefik", user{id: 65532, name: "traefik", home: "/"})},
	}
}
