package install

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/fake"

	"gitops-runtime/tests/e2e/images"
)

func TestStatusTable(t *testing.T) {
	t.Parallel()
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: Namespace, Name: name} }
	pod := func(image string) corev1.PodTemplateSpec {
		return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: image}}}}
	}
	two := int32(2)
	cluster := fake.NewClientset(
		&appsv1.Deployment{ObjectMeta: meta("internal-router"), Spec: appsv1.DeploymentSpec{Replicas: &two, Template: pod("r/nginx:1")}, Status: appsv1.DeploymentStatus{ReadyReplicas: 1}},
		&appsv1.Deployment{ObjectMeta: meta("cap-app-proxy"), Spec: appsv1.DeploymentSpec{Template: pod("r/app-proxy:1")}, Status: appsv1.DeploymentStatus{ReadyReplicas: 1}},
		&appsv1.StatefulSet{ObjectMeta: meta("argo-cd-application-controller"), Spec: appsv1.StatefulSetSpec{Template: pod("elsewhere/argocd:3")}},
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "not-ours"}, Spec: appsv1.DeploymentSpec{Template: pod("x")}},
	)
	all, err := components(t.Context(), cluster, Namespace, map[string]images.Origin{"r/nginx:1": images.DebianPackage, "r/app-proxy:1": images.StandIn})
	require.NoError(t, err)
	assert.Equal(t, []string{"argo-cd-application-controller (0 of 1)", "internal-router (1 of 2)"}, notReady(all))
	var table strings.Builder
	require.NoError(t, writeStatus(&table, all))
	assert.Equal(t, strings.TrimPrefix(`
COMPONENT                       READY  IMAGE               FROM
argo-cd-application-controller  0/1    elsewhere/argocd:3  unknown
cap-app-proxy                   1/1    r/app-proxy:1       stand-in
internal-router                 1/2    r/nginx:1           Debian package
`, "\n"), table.String())
}

func TestDeployed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		conditions []any
		want       bool
	}{
		{"no word from the controller", nil, false},
		{"all true", []any{map[string]any{"type": "Configured", "status": "True"}, map[string]any{"type": "Deployed", "status": "True"}}, true},
		{"one false", []any{map[string]any{"type": "Configured", "status": "True"}, map[string]any{"type": "Deployed", "status": "False"}}, false},
	} {
		object := unstructured.Unstructured{Object: map[string]any{}}
		if test.conditions != nil {
			object.Object["status"] = map[string]any{"conditions": test.conditions}
		}
		assert.Equal(t, test.want, deployed(object), test.name)
	}
}
