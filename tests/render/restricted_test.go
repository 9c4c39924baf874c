package render_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/render"
)

// restrictedReleases are releases with values-restricted.yaml: every access mode, and what adds pods to it.
func restrictedReleases(t *testing.T) map[string]render.Release {
	t.Helper()
	releases := map[string]render.Release{
		"high availability": {Values: []string{preset(t, "ha")}},
		"monitoring":        {Values: []string{preset(t, "monitoring")}},
		"single namespace":  {Files: []string{"single-namespace"}},
		"external Argo CD":  {Files: []string{"own-argo-cd"}},
		"everything on":     {Files: []string{"everything-on"}, Values: []string{preset(t, "ha")}},
	}
	for _, mode := range modes() {
		releases[mode] = render.Release{Files: []string{mode}}
	}
	for name, release := range releases {
		release.Chart = "gitops-runtime"
		if release.Files == nil {
			release.Files = []string{"tunnel"}
		}
		release.Values = append(slices.Clone(release.Values), preset(t, "restricted"))
		releases[name] = release
	}
	return releases
}

// With values-restricted.yaml every pod passes the Pod Security level restricted, so a namespace can enforce it; a numeric user is set where an image's is unknown.
func TestRestrictedPresetPassesPodSecurity(t *testing.T) {
	t.Parallel()
	for name, release := range restrictedReleases(t) {
		var pods int
		for _, object := range release.Objects(t) {
			if spec := podSpecOf(t, object); spec != nil {
				pods++
				assert.Empty(t, render.Forbidden(metav1.ObjectMeta{}, *spec), "%s: %s/%s", name, object.GetKind(), object.GetName())
				if slices.Contains(closed(), object.GetName()) {
					assert.NotNil(t, spec.SecurityContext.RunAsUser, object.GetName())
				}
			}
		}
		assert.Greater(t, pods, 15, name)
	}
}

// podSpecOf returns the pod spec of a workload or of a pod, such as those of helm test, or nil.
func podSpecOf(t *testing.T, object render.Object) *corev1.PodSpec {
	t.Helper()
	if object.GetKind() == "CronJob" {
		scheduled, err := render.As[batchv1.CronJob](&object)
		assert.NoError(t, err)
		return &scheduled.Spec.JobTemplate.Spec.Template.Spec
	}
	if object.GetKind() != "Pod" {
		return pod(t, object)
	}
	one, err := render.As[corev1.Pod](&object)
	assert.NoError(t, err)
	return &one.Spec
}

// The function that judges pods finds violations, so that the tests of this level can fail.
func TestForbiddenFindsViolations(t *testing.T) {
	t.Parallel()
	yes, no, root := true, false, int64(0)
	good := corev1.PodSpec{Containers: []corev1.Container{{Name: "c", SecurityContext: &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no, RunAsNonRoot: &yes, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}}}}
	assert.Empty(t, render.Forbidden(metav1.ObjectMeta{}, good))
	for _, part := range []string{"allowPrivilegeEscalation", "unrestricted capabilities", "runAsNonRoot", "seccompProfile"} {
		assert.Contains(t, render.Forbidden(metav1.ObjectMeta{}, corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}), part)
	}
	bad := *good.DeepCopy()
	bad.HostNetwork = true
	bad.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}}
	bad.Containers[0].SecurityContext.Privileged = &yes
	bad.Containers[0].SecurityContext.RunAsUser = &root
	bad.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80}}
	for _, part := range []string{"host namespaces", "hostPath", "privileged", "runAsUser=0", "hostPort"} {
		assert.Contains(t, render.Forbidden(metav1.ObjectMeta{}, bad), part)
	}
}

// With values-restricted.yaml no role has a wildcard, except those with which Argo CD deploys what the user's repositories contain.
func TestRestrictedPresetHasNoWildcards(t *testing.T) {
	t.Parallel()
	for name, release := range restrictedReleases(t) {
		found, err := render.Wildcards(release.Objects(t), "codefresh-argo-cd-application-controller", "argo-cd-application-controller", "argocd-namespaced-role")
		assert.NoError(t, err, name)
		assert.Empty(t, found, name)
	}
}

// second audit, finding 19: every authenticated account could use the controller of sealed-secrets through the API server. By default it still can, as with
// the published chart; nothing else is bound to everyone.
func TestRestrictedPresetBindsNoEveryone(t *testing.T) {
	t.Parallel()
	bound := func(release render.Release) (names []string) {
		for _, object := range release.Objects(t) {
			if kind := object.GetKind(); kind != "RoleBinding" && kind != "ClusterRoleBinding" {
				continue
			}
			binding, err := render.As[rbacv1.RoleBinding](&object)
			assert.NoError(t, err)
			for _, subject := range binding.Subjects {
				if subject.Kind == rbacv1.GroupKind {
					names = append(names, object.GetName()+" to "+subject.Name)
				}
			}
		}
		return names
	}
	assert.Equal(t, []string{"sealed-secrets-controller-service-proxier to system:authenticated"}, bound(umbrella("tunnel", nil)))
	for name, release := range restrictedReleases(t) {
		assert.Empty(t, bound(release), name)
	}
}
