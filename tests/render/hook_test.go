package render_test

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	batchv1 "k8s.io/api/batch/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
	"gitops-runtime/validator/cluster"
)

// hookOf renders the hook that validates values like a version of Helm; set overrides the values of tunnel mode.
func hookOf(t *testing.T, helm string, set map[string]any) []render.Object {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	loaded := load(t, "gitops-runtime")
	const hook = "templates/hooks/validate-values.yaml"
	for _, each := range append(loaded.Dependencies(), loaded) {
		each.Templates = slices.DeleteFunc(slices.Clone(each.Templates), func(file *chart.File) bool {
			return file.Name != hook && !strings.HasPrefix(path.Base(file.Name), "_")
		})
	}
	given, err := chartutil.ReadValuesFile(filepath.Join(root, "charts", "gitops-runtime", "ci", "tunnel-values.yaml"))
	require.NoError(t, err)
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.HelmVersion.Version = helm
	merged := chartutil.CoalesceTables(set, given)
	require.NoError(t, chartutil.ProcessDependenciesWithMerge(loaded, merged))
	values, err := chartutil.ToRenderValues(loaded, merged, chartutil.ReleaseOptions{Name: "cf", Namespace: "codefresh", IsInstall: true}, capabilities)
	require.NoError(t, err)
	texts, err := engine.Render(loaded, values)
	require.NoError(t, err)
	objects, err := render.Parse(texts["gitops-runtime/"+hook])
	require.NoError(t, err)
	return objects
}

// created returns the objects in the form of the Job's arguments, without the Job.
func created(objects []render.Object) []string {
	var names []string
	for _, object := range objects {
		if kind := strings.ToLower(object.GetKind()); kind != "job" {
			plural := strings.TrimSuffix(kind, "y") + map[bool]string{true: "ies", false: "s"}[strings.HasSuffix(kind, "y")]
			group, version, found := strings.Cut(object.GetAPIVersion(), "/")
			if !found {
				group, version = "", group
			}
			names = append(names, cluster.Object{Group: group, Version: version, Resource: plural, Name: object.GetName()}.String())
		}
	}
	slices.Sort(names)
	return names
}

// With a Helm version that does not delete the other objects of a failed hook, the Job removes each of them; with a newer version the Job only
// reads objects and reports findings.
func TestNothingOfARefusedInstallStays(t *testing.T) {
	t.Parallel()
	single := map[string]any{"global": map[string]any{"runtime": map[string]any{"singleNamespace": true}}}
	closed := map[string]any{"global": map[string]any{"networkPolicy": map[string]any{"restrictEgress": true}}}
	for _, test := range []struct {
		name, helm string
		set        map[string]any
		removes    bool
		owner      string
	}{
		{"Helm 3.8 template", "v3.8.2", nil, true, "clusterroles.rbac.authorization.k8s.io/codefresh-validate-values"},
		{"Helm 3.8 with a cluster, without its version", "", nil, true, "clusterroles.rbac.authorization.k8s.io/codefresh-validate-values"},
		{"Helm 3.18", "v3.18.6", nil, true, "clusterroles.rbac.authorization.k8s.io/codefresh-validate-values"},
		{"Helm 3.18 in one namespace", "v3.18.6", single, true, "roles.rbac.authorization.k8s.io/validate-values"},
		{"Helm 3.18 with network policies", "v3.18.6", closed, true, "clusterroles.rbac.authorization.k8s.io/codefresh-validate-values"},
		{"Helm 3.19", "v3.19.0", nil, false, ""},
		{"Helm 3.19 release candidate", "v3.19.0-rc.1", nil, false, ""},
		{"Helm 3.19 as a library", "v3.19", nil, false, ""},
		{"Helm 4", "v4.0.1", nil, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			objects := hookOf(t, test.helm, test.set)
			job, err := render.As[batchv1.Job](render.Find(objects, "Job", "validate-values"))
			require.NoError(t, err)
			var removed []string
			for _, argument := range job.Spec.Template.Spec.Containers[0].Args {
				if text, is := strings.CutPrefix(argument, "--remove="); is {
					object, err := cluster.ParseObject(text)
					require.NoError(t, err)
					removed = append(removed, object.String())
				}
			}
			if !test.removes {
				assert.Empty(t, removed)
				for right, verbs := range rights(t, objects) {
					assert.Subset(t, []string{"get", "list", "create"}, verbs, right)
				}
				return
			}
			require.NotEmpty(t, removed)
			assert.Equal(t, test.owner, removed[0])
			allowed := rights(t, objects)
			for _, object := range removed[1:] {
				assert.Equal(t, []string{"patch", "delete"}, allowed[object], object)
			}
			assert.Equal(t, []string{"get", "delete"}, allowed[test.owner])
			slices.Sort(removed)
			assert.Equal(t, created(objects), removed)
		})
	}
}

// rights returns the verbs of roles, by resource and resource name. The last rule for an object counts.
func rights(t *testing.T, objects []render.Object) map[string][]string {
	t.Helper()
	verbs := map[string][]string{}
	for i := range objects {
		if kind := objects[i].GetKind(); kind != "Role" && kind != "ClusterRole" {
			continue
		}
		role, err := render.As[rbacv1.ClusterRole](&objects[i])
		require.NoError(t, err)
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, name := range append(slices.Clone(rule.ResourceNames), map[bool][]string{true: {""}, false: nil}[len(rule.ResourceNames) == 0]...) {
					verbs[cluster.Object{Group: rule.APIGroups[0], Resource: resource, Name: name}.String()] = rule.Verbs
				}
			}
		}
	}
	return verbs
}

// Helm deletes the objects of the hook whether the Job succeeds or fails; a failed Job is kept for its log until its TTL expires.
func TestHookAnnotations(t *testing.T) {
	t.Parallel()
	for _, object := range hookOf(t, "v3.19.0", nil) {
		want := map[string]string{
			"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-weight": "-20", "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded,hook-failed",
		}
		if object.GetKind() == "Job" {
			want["helm.sh/hook-weight"], want["helm.sh/hook-delete-policy"] = "-10", "before-hook-creation,hook-succeeded"
			want["helm.sh/hook-output-log-policy"] = "hook-succeeded,hook-failed"
			job, err := render.As[batchv1.Job](&object)
			require.NoError(t, err)
			assert.Equal(t, int32(3600), *job.Spec.TTLSecondsAfterFinished)
			assert.Equal(t, int32(0), *job.Spec.BackoffLimit)
		}
		assert.Equal(t, want, object.GetAnnotations(), object.GetKind())
	}
}

// The hook may read the Services of an external Argo CD, in any namespace, but no other Service.
func TestHookMayReadServiceOfExternalArgoCD(t *testing.T) {
	t.Parallel()
	rule := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"services"}, ResourceNames: []string{"argocd-server", "argo-cd-repo-server"}, Verbs: []string{"get"}}
	for _, test := range []struct {
		service       string
		single        bool
		role, cluster []rbacv1.PolicyRule
	}{
		{"argocd-server", false, []rbacv1.PolicyRule{rule}, nil},
		{"argocd-server", true, []rbacv1.PolicyRule{rule}, nil},
		{"argocd-server.argocd", false, nil, []rbacv1.PolicyRule{rule}},
		{"argocd-server.argocd", true, nil, nil},
		{"", false, nil, nil},
	} {
		objects := hookOf(t, "v3.19.0", map[string]any{
			"argo-cd": map[string]any{"enabled": false},
			"global": map[string]any{
				"runtime":      map[string]any{"singleNamespace": test.single},
				"integrations": map[string]any{"argo-cd": map[string]any{"server": map[string]any{"svc": test.service}}},
			},
		})
		var role, cluster []rbacv1.PolicyRule
		for _, object := range objects {
			switch object.GetKind() {
			case "Role":
				typed, err := render.As[rbacv1.Role](&object)
				require.NoError(t, err)
				role = append(role, ofServices(typed.Rules)...)
			case "ClusterRole":
				typed, err := render.As[rbacv1.ClusterRole](&object)
				require.NoError(t, err)
				cluster = append(cluster, ofServices(typed.Rules)...)
			}
		}
		assert.Equal(t, test.role, role, "%s, single namespace %v", test.service, test.single)
		assert.Equal(t, test.cluster, cluster, "%s, single namespace %v", test.service, test.single)
	}
}

// ofServices returns the rules for Services.
func ofServices(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var kept []rbacv1.PolicyRule
	for _, rule := range rules {
		if slices.Contains(rule.Resources, "services") {
			kept = append(kept, rule)
		}
	}
	return kept
}
