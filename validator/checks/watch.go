package checks

import (
	"path"
	"slices"
	"strings"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
)

const componentLabel = "app.kubernetes.io/component"

// neighbor is a controller of which another install on the cluster may act on the same objects as this release's. Argo CD is not one: each acts on the
// Applications of its own namespace; see collisions.
type neighbor struct {
	chart, title, kinds string
	// image is the last part of the image's name, and word one of its arguments: images of Argo Events also run event sources and sensors.
	image, word string
	// component is the label of its Deployment, for images of another name.
	component string
	watch     func(flags) watch
	// own is what this release's controller watches.
	own func(*helmvalues.Values) watch
	// fix says how two controllers of every namespace do not act on the same objects.
	fix string
	// narrow is the setting that limits this release's to its namespace.
	narrow func(namespace string) string
}

var neighbors = []neighbor{
	{
		chart: "argo-rollouts", title: "Argo Rollouts", kinds: "Rollouts, AnalysisRuns and Experiments",
		image: "argo-rollouts", component: "rollouts-controller", watch: rolloutsWatch,
		own: func(values *helmvalues.Values) watch {
			return watch{values.Bool("argo-rollouts.clusterInstall", true), values.String("argo-rollouts.controller.instanceID", "")}
		},
		fix: "--set argo-rollouts.enabled=false to use the other one; or --set argo-rollouts.controller.instanceID=<id>, and the label " +
			"argo-rollouts.argoproj.io/controller-instance-id=<id> on the objects of this one",
		narrow: setting("argo-rollouts.clusterInstall=false"),
	},
	{
		chart: "argo-events", title: "Argo Events", kinds: "EventBuses, EventSources and Sensors",
		image: "argo-events", word: "controller", component: "controller-manager", watch: namespacedWatch,
		own: func(values *helmvalues.Values) watch {
			return watch{everywhere: !values.Bool("argo-events.controller.rbac.namespaced", false)}
		},
		fix:    "--set argo-events.enabled=false to use the other one",
		narrow: setting("argo-events.controller.rbac.namespaced=true"),
	},
	{
		chart: "argo-workflows", title: "Argo Workflows", kinds: "Workflows and CronWorkflows",
		image: "workflow-controller", component: "workflow-controller", watch: namespacedWatch,
		own:    workflowsWatch,
		fix:    "--set argo-workflows.enabled=false to use the other one; or --set argo-workflows.controller.instanceID.enabled=true,argo-workflows.controller.instanceID.explicitID=<id>",
		narrow: setting("argo-workflows.singleNamespace=true"),
	},
	{
		chart: "sealed-secrets", title: "sealed-secrets", kinds: "SealedSecrets",
		image: "sealed-secrets-controller", watch: sealedSecretsWatch,
		own: func(values *helmvalues.Values) watch {
			return watch{everywhere: len(values.List("sealed-secrets.additionalNamespaces")) == 0}
		},
		fix: "--set sealed-secrets.createController=false to use the other one",
		narrow: func(namespace string) string {
			return "sealed-secrets.additionalNamespaces={" + cleantext.Argument(namespace) + "}"
		},
	},
}

func setting(text string) func(string) string { return func(string) string { return text } }

// watchOf returns what the controller of a Deployment watches, and whether the Deployment runs the controller.
func (n neighbor) watchOf(workload cluster.Workload) (watch, bool) {
	if workload.Spec.Replicas != nil && *workload.Spec.Replicas == 0 {
		return watch{}, false
	}
	labeled := n.component != "" && workload.Metadata.Labels[componentLabel] == n.component
	for _, container := range workload.Spec.Template.Spec.Containers {
		given := flagsOf(container)
		if labeled || imageName(container.Image) == n.image && (n.word == "" || slices.Contains(given.words, n.word)) {
			return n.watch(given), true
		}
	}
	return watch{}, false
}

// imageName returns the last part of the name of an image, without tag and digest.
func imageName(image string) string {
	name := path.Base(image)
	if at := strings.IndexAny(name, ":@"); at >= 0 {
		name = name[:at]
	}
	return name
}

// watch is what a controller acts on.
type watch struct {
	// everywhere is true for the objects of every namespace, and false for those of its own.
	everywhere bool
	// instance is the instance ID that an object needs, empty for objects without one; two controllers with different ones share no object.
	instance string
}

// flags are the arguments and variables of a container, as Kubernetes shows them.
type flags struct {
	words []string
	env   map[string]string
}

func flagsOf(container cluster.Container) flags {
	env := map[string]string{}
	for _, variable := range container.Env {
		env[variable.Name] = variable.Value
	}
	return flags{slices.Concat(container.Command, container.Args), env}
}

// value returns the value of a flag as pflag parses it: --name=value, --name value, or for a boolean --name alone, which is "true".
func (f flags) value(name string) (string, bool) {
	for i, word := range f.words {
		flag, value, joined := strings.Cut(word, "=")
		if flag != "--"+name {
			continue
		}
		if !joined && i+1 < len(f.words) && !strings.HasPrefix(f.words[i+1], "-") {
			return f.words[i+1], true
		}
		if !joined {
			return "true", true
		}
		return value, true
	}
	return "", false
}

// on reports whether a boolean flag is set.
func (f flags) on(name string) bool {
	value, given := f.value(name)
	return given && value != "false"
}

// rolloutsWatch follows cmd/rollouts-controller/main.go and utils/controller.InstanceIDRequirement of Argo Rollouts v1.9.1.
func rolloutsWatch(given flags) watch {
	instance, _ := given.value("instance-id")
	return watch{everywhere: !given.on("namespaced"), instance: instance}
}

// namespacedWatch follows cmd/commands/controller.go of Argo Events v1.9.10 and cmd/workflow-controller/main.go of Argo Workflows v3.7.18; the instance
// ID of the latter is in a ConfigMap.
func namespacedWatch(given flags) watch { return watch{everywhere: !given.on("namespaced")} }

// sealedSecretsWatch follows cmd/controller/main.go, pkg/pflagenv and pkg/controller/main.go of sealed-secrets v0.36.0: each flag is also a variable.
func sealedSecretsWatch(given flags) watch {
	all, set := given.value("all-namespaces")
	if !set {
		all = given.env["SEALED_SECRETS_ALL_NAMESPACES"]
	}
	more, set := given.value("additional-namespaces")
	if !set {
		more = given.env["SEALED_SECRETS_ADDITIONAL_NAMESPACES"]
	}
	return watch{everywhere: all != "false" && more == ""}
}

// workflowsWatch returns what the controller of Argo Workflows in this release watches. The name of a release is not an ID that another install has.
func workflowsWatch(values *helmvalues.Values) watch {
	const instanceID = "argo-workflows.controller.instanceID."
	of := watch{everywhere: !values.Bool("argo-workflows.singleNamespace", true)}
	if values.Bool(instanceID+"enabled", false) {
		of.instance = values.String(instanceID+"explicitID", "of the release")
	}
	return of
}
