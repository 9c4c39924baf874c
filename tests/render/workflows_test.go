package render_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// preset returns the path of a values file of the umbrella chart.
func preset(t *testing.T, name string) string {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	return filepath.Join(root, "charts", "gitops-runtime", "values-"+name+".yaml")
}

// workflowsConfig returns the configuration of the workflow controller that a release renders.
func workflowsConfig(t *testing.T, release render.Release) map[string]any {
	t.Helper()
	object := render.Find(release.Objects(t), "ConfigMap", "argo-workflow-controller-configmap")
	require.NotNil(t, object)
	var config map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(object.Object["data"].(map[string]any)["config"].(string)), &config))
	return config
}

// The pods of workflows get what the published chart 0.30.0 gives them: no security context, so that images with root run.
func TestA1WorkflowsGetNoSecurityContext(t *testing.T) {
	t.Parallel()
	requests := map[string]any{"requests": map[string]any{"ephemeral-storage": "10Mi"}}
	for _, mode := range modes() {
		config := workflowsConfig(t, umbrella(mode, nil))
		assert.Equal(t, map[string]any{
			"executor":       map[string]any{"imagePullPolicy": "Always", "resources": requests},
			"mainContainer":  map[string]any{"imagePullPolicy": "Always", "resources": requests},
			"nodeEvents":     map[string]any{"enabled": true},
			"workflowEvents": map[string]any{"enabled": true},
		}, config, mode)
	}
}

// The values of the community's chart for the pods of workflows reach the configuration as they are.
func TestA1WorkflowValuesAreThoseOfTheUser(t *testing.T) {
	t.Parallel()
	context := map[string]any{"runAsUser": float64(1000)}
	release := umbrella("tunnel", nil)
	release.SetJSON = map[string]string{
		"argo-workflows.mainContainer.securityContext": `{"runAsUser": 1000}`,
		"argo-workflows.executor.securityContext":      `{}`,
		"argo-workflows.controller.workflowDefaults":   `{"spec": {"securityContext": {"runAsUser": 1000}, "ttlStrategy": {"secondsAfterCompletion": 9}}}`,
	}
	config := workflowsConfig(t, release)
	assert.Equal(t, context, config["mainContainer"].(map[string]any)["securityContext"])
	assert.NotContains(t, config["executor"], "securityContext")
	assert.Equal(t, map[string]any{"spec": map[string]any{
		"securityContext": context, "ttlStrategy": map[string]any{"secondsAfterCompletion": float64(9)},
	}}, config["workflowDefaults"])
}

// The restricted preset gives the pods of workflows what the Pod Security level restricted asks for, in every mode.
func TestA1RestrictedPresetRestrictsWorkflows(t *testing.T) {
	t.Parallel()
	container := map[string]any{
		"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}, "runAsNonRoot": true,
		"seccompProfile": map[string]any{"type": "RuntimeDefault"},
	}
	executor := maps.Clone(container)
	executor["runAsUser"] = float64(8737)
	for _, mode := range modes() {
		release := umbrella(mode, nil)
		release.Values = []string{preset(t, "restricted")}
		config := workflowsConfig(t, release)
		assert.Equal(t, container, config["mainContainer"].(map[string]any)["securityContext"], mode)
		assert.Equal(t, executor, config["executor"].(map[string]any)["securityContext"], mode)
		assert.Equal(t, map[string]any{"spec": map[string]any{"securityContext": map[string]any{
			"runAsNonRoot": true, "runAsUser": float64(8737), "seccompProfile": map[string]any{"type": "RuntimeDefault"},
		}}}, config["workflowDefaults"], mode)
	}
}

// Controller and server of Argo Workflows work in the namespace of the release only, as in the published chart; false widens arguments and rights.
func TestA2WorkflowsStayInTheNamespace(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		assert.Equal(t, []string{"Role/argo-server", "Role/argo-workflow-controller"}, workflowRights(t, umbrella(mode, nil), true), mode)
	}
	everywhere := umbrella("tunnel", map[string]string{"argo-workflows.singleNamespace": "false"})
	assert.Equal(t, []string{
		"ClusterRole/codefresh-argo-server", "ClusterRole/codefresh-argo-workflow-controller", "Role/argo-server", "Role/argo-workflow-controller",
	}, workflowRights(t, everywhere, false))
}

// workflowRights returns the roles that are bound to controller and server, and asserts whether both are started with --namespaced.
func workflowRights(t *testing.T, release render.Release, namespaced bool) []string {
	t.Helper()
	objects := release.Objects(t)
	accounts := []string{"argo-server", "argo-workflow-controller"}
	var bound []string
	for _, object := range objects {
		if kind := object.GetKind(); kind != "RoleBinding" && kind != "ClusterRoleBinding" {
			continue
		}
		binding, err := render.As[rbacv1.ClusterRoleBinding](&render.Object{Object: object.Object})
		require.NoError(t, err)
		for _, subject := range binding.Subjects {
			if slices.Contains(accounts, subject.Name) {
				bound = append(bound, binding.RoleRef.Kind+"/"+binding.RoleRef.Name)
			}
		}
	}
	for _, name := range accounts {
		arguments := pod(t, *render.Find(objects, "Deployment", name)).Containers[0].Args
		assert.Equal(t, namespaced, slices.Contains(arguments, "--namespaced"), "%s %v", name, arguments)
	}
	slices.Sort(bound)
	return bound
}

// As in the community's chart, createAggregateRoles is independent of singleNamespace; only a runtime limited to its namespace creates none.
func TestRow15AggregateRolesStayWithSingleNamespace(t *testing.T) {
	t.Parallel()
	aggregated := []string{"ClusterRole/argo-aggregate-to-admin", "ClusterRole/argo-aggregate-to-edit", "ClusterRole/argo-aggregate-to-view"}
	named := func(set map[string]string) []string {
		release := umbrella("tunnel", set)
		release.Namespace = "n"
		var found []string
		for _, name := range render.Names(release.Objects(t), "ClusterRole") {
			if slices.Contains(aggregated, "ClusterRole/"+name[len("ClusterRole/n-"):]) {
				found = append(found, "ClusterRole/"+name[len("ClusterRole/n-"):])
			}
		}
		return found
	}
	assert.ElementsMatch(t, aggregated, named(nil))
	assert.Empty(t, named(map[string]string{"argo-workflows.createAggregateRoles": "false"}))
	assert.Empty(t, named(map[string]string{"global.runtime.singleNamespace": "true"}))
}

// An --auth-mode in extraArgs replaces the default, as in the community's chart, and with narrow permissions gives the server those of that mode.
func TestRow10ExtraArgsChooseTheAuthMode(t *testing.T) {
	t.Parallel()
	server := func(set string) ([]string, bool) {
		release := render.Release{Chart: "argo-workflows", SetJSON: map[string]string{"server.extraArgs": set, "server.rbac.narrow": "true"}}
		objects := release.Objects(t)
		arguments := slices.DeleteFunc(slices.Clone(pod(t, *render.Find(objects, "Deployment", "cf-argo-workflows-server")).Containers[0].Args), func(argument string) bool {
			return len(argument) < len("--auth-mode") || argument[:len("--auth-mode")] != "--auth-mode"
		})
		role, err := render.As[rbacv1.ClusterRole](render.Find(objects, "ClusterRole", "codefresh-cf-argo-workflows-server"))
		require.NoError(t, err)
		return arguments, slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "pods/log") })
	}
	for given, want := range map[string]struct {
		modes []string
		acts  bool
	}{
		`[]`:                        {[]string{}, false},
		`["--auth-mode=sso"]`:       {[]string{"--auth-mode=sso"}, true},
		`["--auth-mode=client"]`:    {[]string{"--auth-mode=client"}, false},
		`["--auth-mode", "server"]`: {[]string{"--auth-mode"}, true},
		`["--auth-mode=client", "--x-frame=server"]`: {[]string{"--auth-mode=client"}, false},
	} {
		arguments, acts := server(given)
		assert.Equal(t, want.modes, arguments, given)
		assert.Equal(t, want.acts, acts, given)
	}
}

// Values of the published chart that Argo Workflows does not read are accepted.
func TestB9UnreadWorkflowValuesAreAccepted(t *testing.T) {
	t.Parallel()
	release := umbrella("tunnel", map[string]string{"argo-workflows.useDefaultArtifactRepo": "true", "argo-workflows.controller.telemetryConfig.enabled": "true"})
	assert.Equal(t, workflowsConfig(t, umbrella("tunnel", nil)), workflowsConfig(t, release))
}
