package render_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// TestRouterFinishesItsRequests tests that a terminating pod of the router keeps accepting connections until its endpoint is removed, and then
// finishes its requests, within the termination grace period.
func TestRouterFinishesItsRequests(t *testing.T) {
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
	shutdown, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	assert.Positive(t, pause)
	require.NotNil(t, pod.TerminationGracePeriodSeconds)
	assert.Less(t, int64(pause+shutdown), *pod.TerminationGracePeriodSeconds)
}

// With publishWorkflows=false no access mode routes to the server of Argo Workflows, and the tunnel allows none of its paths.
func TestPublishWorkflowsRemovesEveryRoute(t *testing.T) {
	t.Parallel()
	kinds := []string{"Ingress", "HTTPRoute", "VirtualService"}
	for _, mode := range []string{"ingress", "gateway", "istio"} {
		for publish, found := range map[string]bool{"true": true, "false": false} {
			routes := ""
			for _, object := range umbrella(mode, map[string]string{"global.runtime.publishWorkflows": publish}).Objects(t) {
				if slices.Contains(kinds, object.GetKind()) && object.GetName() == "codefresh-gitops-runtime" {
					text, err := yaml.Marshal(object.Object)
					require.NoError(t, err)
					routes += string(text)
				}
			}
			assert.Contains(t, routes, "/app-proxy", mode)
			assert.Contains(t, routes, "/webhooks", mode)
			assert.Equal(t, found, strings.Contains(routes, "/workflows"), "%s, publishWorkflows=%s", mode, publish)
		}
	}
	for publish, want := range map[string]string{
		"true":  "locations = /app-proxy,/workflows,/workflows/api,/workflowsx\n",
		"false": "locations = /app-proxy,/workflowsx\n",
	} {
		tunnel := render.Release{
			Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: map[string]string{"global.runtime.publishWorkflows": publish},
			SetJSON: map[string]string{"tunnel-client.allowedPaths": `["/app-proxy","/workflows","/workflows/api","/workflowsx"]`},
		}
		config, err := render.As[corev1.ConfigMap](render.Find(tunnel.Objects(t), "ConfigMap", "codefresh-tunnel-client-config"))
		require.NoError(t, err)
		assert.Contains(t, config.Data["frpc.ini"], want)
	}
}

// Webhook namespaces become part of a regular expression, so only names of namespaces and * are accepted.
func TestWebhookNamespacesAreNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a|b", ".*", "a)", "A", "-a", "a b"} {
		release := render.Release{
			Chart: "gitops-runtime", Files: []string{"tunnel"},
			SetJSON: map[string]string{"internal-router.webhooks": `{"namespaces":[` + strconv.Quote(name) + `]}`},
		}
		_, err := release.Text(t)
		assert.ErrorContains(t, err, "webhooks", name)
	}
}

// The router caches the stable address of a Service for minutes, but the pod addresses of a headless Service only for seconds.
func TestRouterCachesStableAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"":     {"5s", "5m", "5m"},
		"None": {"5s", "5s", "5m"},
	} {
		set := map[string]string{}
		if address != "" {
			set["app-proxy.service.clusterIP"] = address
		}
		config, err := render.As[corev1.ConfigMap](render.Find(umbrella("tunnel", set).Objects(t), "ConfigMap", "internal-router-config"))
		require.NoError(t, err)
		var found []string
		for _, one := range regexp.MustCompile(`resolver kube-dns\S+ valid=(\S+) ipv6=off;`).FindAllStringSubmatch(config.Data["nginx.conf"], -1) {
			found = append(found, one[1])
		}
		assert.Equal(t, want, found, "clusterIP %q", address)
	}
}
