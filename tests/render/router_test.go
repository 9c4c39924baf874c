package render_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/tests/render"
)

// TestRouterFinishesWhatItHas: a pod of the router stays for those who have not yet heard that it goes, then finishes its
// requests, all before the kubelet's patience ends.
func TestRouterFinishesWhatItHas(t *testing.T) {
	t.Parallel()
	objects := umbrella("mesh", nil).Objects(t)
	router, err := render.As[appsv1.Deployment](render.Find(objects, "Deployment", "internal-router"))
	require.NoError(t, err)
	pod := router.Spec.Template.Spec
	require.NotNil(t, pod.Containers[0].Lifecycle)
	require.NotNil(t, pod.Containers[0].Lifecycle.PreStop.Exec)
	command := pod.Containers[0].Lifecycle.PreStop.Exec.Command
	require.Len(t, command, 2)
	assert.Equal(t, "sleep", command[0])
	pause, err := strconv.Atoi(command[1])
	require.NoError(t, err)

	config, err := render.As[corev1.ConfigMap](render.Find(objects, "ConfigMap", "internal-router-config"))
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^worker_shutdown_timeout (\d+)s;$`).FindStringSubmatch(config.Data["nginx.conf"])
	require.NotNil(t, found)
	finishing, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	assert.Positive(t, pause)
	require.NotNil(t, pod.TerminationGracePeriodSeconds)
	assert.Less(t, int64(pause+finishing), *pod.TerminationGracePeriodSeconds)
}
