package render_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"gitops-runtime/tests/render"
)

// An uninstall hook may delete only the objects that its arguments name or select. uninstall-runtime may also read the runtime token and remove the
// finalizers of the runtime's Applications.
func TestPermissionsOfUninstallHooks(t *testing.T) {
	t.Parallel()
	objects := umbrella("tunnel", nil).Objects(t)
	for _, test := range []struct {
		job     string
		labeled []string // arguments
		other   []rbacv1.PolicyRule
		deletes []string
	}{
		{"uninstall-runtime", []string{"--release-labeled=applications.v1alpha1.argoproj.io?codefresh.io/internal=true"}, []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"codefresh-token"}, Verbs: []string{"get"}},
			{APIGroups: []string{"argoproj.io"}, Resources: []string{"applications"}, Verbs: []string{"list", "patch"}},
		}, []string{"deployments.apps/cap-app-proxy"}},
		{"uninstall-leftovers", []string{"--delete-labeled=secrets.v1?io.codefresh.integration-type=git,io.codefresh.integration-name=default"}, []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"deletecollection"}},
		}, []string{
			"deployments.apps/cap-app-proxy", "statefulsets.apps/argo-cd-application-controller",
			"secrets/codefresh-token", "secrets/argocd-token", "secrets/argocd-initial-admin-secret", "secrets/argocd-redis",
			"pods/test-components", "pods/test-app-proxy", "pods/test-router", "pods/test-access",
			"pods/test-argo-cd", "pods/test-argo-workflows", "pods/test-argo-rollouts", "pods/test-argo-events",
			"leases.coordination.k8s.io/58ac56fa.applicationsets.argoproj.io",
			"leases.coordination.k8s.io/argo-events-controller", "leases.coordination.k8s.io/argo-rollouts-controller-lock", "leases.coordination.k8s.io/workflow-controller",
		}},
	} {
		job, err := render.As[batchv1.Job](render.Find(objects, "Job", test.job))
		require.NoError(t, err)
		var deleted, labeled []string
		for _, argument := range job.Spec.Template.Spec.Containers[0].Args {
			for _, flag := range []string{"--delete=", "--registrar="} {
				if object, is := strings.CutPrefix(argument, flag); is {
					deleted = append(deleted, strings.Replace(object, ".v1", "", 1))
				}
			}
			if strings.Contains(argument, "-labeled=") {
				labeled = append(labeled, argument)
			}
		}
		assert.Equal(t, test.labeled, labeled, test.job)
		assert.Equal(t, test.deletes, deleted, test.job)

		role, err := render.As[rbacv1.Role](render.Find(objects, "Role", test.job))
		require.NoError(t, err)
		var allowed []string
		var other []rbacv1.PolicyRule
		for _, rule := range role.Rules {
			if !slices.Equal(rule.Verbs, []string{"delete"}) {
				other = append(other, rule)
				continue
			}
			allowed = append(allowed, strings.TrimSuffix(rule.Resources[0]+"."+rule.APIGroups[0], ".")+"/"+rule.ResourceNames[0])
		}
		assert.Equal(t, test.deletes, allowed, test.job)
		assert.Equal(t, test.other, other, test.job)
	}
}
