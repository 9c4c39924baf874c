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

// An uninstall hook may delete the objects its arguments name, and nothing else; one that deregisters sees whether there is a token to.
func TestUninstallMayDeleteWhatItDeletes(t *testing.T) {
	t.Parallel()
	objects := umbrella("tunnel", nil).Objects(t)
	for _, test := range []struct {
		job  string
		gone []string
	}{
		{"uninstall-runtime", nil},
		{"uninstall-leftovers", []string{
			"deployments.apps/cap-app-proxy", "statefulsets.apps/argo-cd-application-controller",
			"secrets/codefresh-token", "secrets/argocd-token", "secrets/argocd-initial-admin-secret", "secrets/argocd-redis",
			"leases.coordination.k8s.io/58ac56fa.applicationsets.argoproj.io",
			"leases.coordination.k8s.io/argo-events-controller", "leases.coordination.k8s.io/argo-rollouts-controller-lock", "leases.coordination.k8s.io/workflow-controller",
		}},
	} {
		job, err := render.As[batchv1.Job](render.Find(objects, "Job", test.job))
		require.NoError(t, err)
		var deleted []string
		for _, argument := range job.Spec.Template.Spec.Containers[0].Args {
			if object, is := strings.CutPrefix(argument, "--delete="); is {
				deleted = append(deleted, strings.Replace(object, ".v1", "", 1))
			}
		}
		assert.Equal(t, test.gone, deleted, test.job)

		role, err := render.As[rbacv1.Role](render.Find(objects, "Role", test.job))
		require.NoError(t, err)
		var allowed []string
		for _, rule := range role.Rules {
			if test.job == "uninstall-runtime" && slices.Equal(rule.Verbs, []string{"get"}) {
				assert.Equal(t, []string{"secrets", "codefresh-token"}, append(slices.Clone(rule.Resources), rule.ResourceNames...))
				continue
			}
			require.Equal(t, []string{"delete"}, rule.Verbs)
			allowed = append(allowed, strings.TrimSuffix(rule.Resources[0]+"."+rule.APIGroups[0], ".")+"/"+rule.ResourceNames[0])
		}
		assert.Equal(t, test.gone, allowed, test.job)
	}
}
