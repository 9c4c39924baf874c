package render_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
)

// Values that users of the published charts set change the expected fields.
func TestValuesOfUsersOfThePublishedCharts(t *testing.T) {
	t.Parallel()
	container := "spec/template/spec/containers/0/"
	for _, test := range []valueCase{
		{"a runtime's name with a hyphen", "", map[string]string{"global.runtime.name": `"from-terraform"`}, "ConfigMap", "cap-app-proxy-cm", "data/runtimeName", "from-terraform"},
		{"bucket of the log store", "", map[string]string{"global.codefresh.accountId": `"a1"`}, "ConfigMap", "codefresh-workflows-log-store", "data/codefresh-workflows-log-store|s3/bucket", "a1"},
		{"keys of the log store", "", map[string]string{"global.runtime.name": `"from-terraform"`}, "ConfigMap", "codefresh-workflows-log-store", "data/codefresh-workflows-log-store|s3/keyFormat", "from-terraform/{{workflow.name}}/{{pod.name}}"},
		{"a limit as a number", "", map[string]string{"app-proxy.resources.limits.cpu": "2"}, "Deployment", "cap-app-proxy", container + "resources/limits/cpu", 2.0},
		{"a resource with any name", "", map[string]string{"internal-router.resources.limits.ephemeral-storage": `"1Gi"`}, "Deployment", "internal-router", container + "resources/limits/ephemeral-storage", "1Gi"},
		{"limits of the installer", "", map[string]string{"installer.resources.limits.cpu": `"100m"`}, "Job", "validate-values", container + "resources/limits/cpu", "100m"},
		{"arguments of gitops-operator", "", map[string]string{"gitops-operator.extraArgs": `["--a"]`}, "Deployment", "gitops-operator", container + "args", []any{"--a"}},
		{"probe of gitops-operator", "", map[string]string{"gitops-operator.livenessProbe.periodSeconds": "3"}, "Deployment", "gitops-operator", container + "livenessProbe/periodSeconds", 3.0},
		{"any setting of app-proxy", "", map[string]string{"app-proxy.config.foo": `"bar"`}, "ConfigMap", "cap-app-proxy-cm", "data/foo", "bar"},
		{"user of sealed-secrets", "", map[string]string{"sealed-secrets.podSecurityContext.fsGroup": "7"}, "Deployment", "sealed-secrets-controller", "spec/template/spec/securityContext/fsGroup", 7.0},
		{"no definitions of Rollouts", "", map[string]string{"argo-rollouts.installCRDs": "false"}, "CustomResourceDefinition", "rollouts.argoproj.io", "", absent{}},
		{"nested parameters of Argo CD", "", map[string]string{"argo-cd.configs.params.server.insecure": "false"}, "ConfigMap", "argocd-cmd-params-cm", "data/server.insecure", "false"},
	} {
		t.Run(test.title, func(t *testing.T) {
			t.Parallel()
			assertValue(t, render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: test.set}.Objects(t), test)
		})
	}
}

// An OpenShift Route without a hostname has that of Argo CD, as in argo-cd 10.1.1: the host of a Route cannot be changed by an upgrade.
func TestRouteWithoutAHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]any{`""`: "argocd.example.com", `"argo.example.com"`: "argo.example.com"} {
		objects := render.Release{Chart: "argo-cd", SetJSON: map[string]string{"server.route.enabled": "true", "server.route.hostname": host}}.Objects(t)
		assertValue(t, objects, valueCase{kind: "Route", name: "cf-argocd-server", path: "spec/host", want: want})
	}
}

// Values that cannot work are rejected with the name of their replacement or the path of the error.
func TestRejectedValuesOfUsersOfThePublishedCharts(t *testing.T) {
	t.Parallel()
	for title, c := range map[string]struct{ path, json, want string }{
		"a misspelled toleration":       {"app-proxy.tolerations", `[{"efect": "NoSchedule"}]`, "'efect' not allowed"},
		"a quantity with a space":       {"app-proxy.resources.limits.memory", `"1 Gi"`, "'1 Gi' does not match pattern"},
		"limit instead of limits":       {"app-proxy.resources.limit.cpu", `"1"`, "'limit' not allowed"},
		"a renamed toggle":              {"argo-rollouts.crds.install", `false`, "Set installCRDs"},
		"a path without effect":         {"global.codefresh.apiEventsPath", `"/events"`, "The event reporters know the path of events"},
		"workers that are not a number": {"argo-workflows.controller.workflowWorkers", `"many"`, "does not match pattern"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			err := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: map[string]string{c.path: c.json}}.Try(t)
			require.ErrorContains(t, err, c.want)
		})
	}
}
