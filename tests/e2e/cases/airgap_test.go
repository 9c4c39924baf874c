//go:build e2e

package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/imageregistry"
	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/e2e/kindcluster"
)

// outsideRegistry is a registry that the node can reach like any public one.
const outsideRegistry = "gitops-runtime-e2e-outside"

// airGap is a cluster that is cut off: its node and pods can reach only the cluster itself and the private registry.
type airGap struct {
	*environment
	// outside is the address of outsideRegistry.
	outside string
}

// airGapped cuts the cluster off for the rest of the test. The node has no image of the private registry at first: all its images are then pulled
// within the air gap.
func (e *environment) airGapped(t *testing.T) airGap {
	t.Helper()
	g := airGap{e, e.startOutside(t)}
	eventually(t, "without the gap the outside is reachable", 30*time.Second, func(ctx context.Context) error {
		for _, ask := range g.fromInside() {
			if err := ask(ctx, g.outside); err != nil {
				return err
			}
		}
		return nil
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		assert.NoError(t, e.local.Cluster.Reconnect(ctx))
	})
	require.NoError(t, e.local.Cluster.Isolate(t.Context()))
	require.NoError(t, e.local.Cluster.ForgetRegistry(t.Context(), install.RegistryInCluster))
	g.verify(t)
	return g
}

// startOutside starts outsideRegistry and returns its address.
func (e *environment) startOutside(t *testing.T) string {
	t.Helper()
	engine := e.local.Cluster.Engine
	remove := func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		assert.NoError(t, engine.Remove(ctx, outsideRegistry))
	}
	remove()
	t.Cleanup(remove)
	program, err := engine.Run(t.Context(), "inspect", imageregistry.Name, "--format", "{{.Config.Image}}")
	require.NoError(t, err)
	_, err = engine.Run(t.Context(), "run", "--detach", "--name", outsideRegistry, "--network", "kind", program)
	require.NoError(t, err)
	address, err := engine.Run(t.Context(), "inspect", outsideRegistry, "--format", "{{.NetworkSettings.Networks.kind.IPAddress}}")
	require.NoError(t, err)
	require.NotEmpty(t, address)
	return address + ":5000"
}

// fromInside returns functions that send a request from the node and from a pod, by client.
func (g airGap) fromInside() map[string]func(context.Context, string) error {
	return map[string]func(context.Context, string) error{
		"node": func(ctx context.Context, address string) error { return g.inNode(ctx, ask(address)) },
		"pod": func(ctx context.Context, address string) error {
			return g.inNode(ctx, "nsenter --net=/proc/$(pidof -s coredns)/ns/net "+ask(address))
		},
	}
}

// ask returns a shell command that requests the version of a registry's API.
func ask(address string) string {
	return "curl --silent --show-error --insecure --max-time 5 --output /dev/null http://" + address + "/v2/"
}

// inNode runs a shell command in the node.
func (g airGap) inNode(ctx context.Context, line string) error {
	_, err := g.local.Cluster.Engine.Run(ctx, "exec", kindcluster.Name+"-control-plane", "sh", "-c", line)
	return err
}

// verify checks that clients in the cluster reach the private registry, but not outsideRegistry or the internet, and that the node has no other
// mirror.
func (g airGap) verify(t *testing.T) {
	t.Helper()
	for who, ask := range g.fromInside() {
		assert.NoError(t, ask(t.Context(), install.RegistryInCluster), who)
		for _, address := range []string{g.outside, outsideRegistry + ":5000", "1.1.1.1:443"} {
			assert.ErrorContains(t, ask(t.Context(), address), "exit status 7", "%s reaches %s", who, address) // refused immediately
		}
		assert.Error(t, ask(t.Context(), "registry-1.docker.io:443"), who)
	}
	mirrors, err := g.local.Cluster.Engine.Run(t.Context(), "exec", kindcluster.Name+"-control-plane", "sh", "-c", "ls /etc/containerd/certs.d && cat /etc/containerd/certs.d/*/*")
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll("REGISTRY\nserver = \"http://REGISTRY\"\n\n[host.\"http://REGISTRY\"]\n  capabilities = [\"pull\", \"resolve\"]", "REGISTRY", install.RegistryInCluster), mirrors)
}

// pulled checks that every container of the runtime has an image that the node pulled from the private registry within the gap.
func (g airGap) pulled(t *testing.T) {
	t.Helper()
	g.pulledFrom(t, install.RegistryInCluster)
}

// pulledFrom is pulled for the images of a place in the private registry. The node may list the same image by another of its names there.
func (g airGap) pulledFrom(t *testing.T, place string) {
	t.Helper()
	listed, err := g.local.Cluster.Engine.Run(t.Context(), "exec", kindcluster.Name+"-control-plane", "ctr", "--namespace=k8s.io", "images", "list", "--quiet")
	require.NoError(t, err)
	pods, err := g.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	var ran []string
	for _, pod := range pods.Items {
		for _, container := range append(append([]corev1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
			ran = append(ran, container.Image)
			assert.True(t, strings.HasPrefix(container.Image, place+"/"), "%s of %s runs %s", container.Name, pod.Name, container.Image)
		}
		for _, status := range append(append([]corev1.ContainerStatus{}, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...) {
			assert.True(t, strings.HasPrefix(status.ImageID, install.RegistryInCluster+"/"), "%s of %s runs %s", status.Name, pod.Name, status.ImageID)
		}
	}
	assert.Subset(t, strings.Fields(listed), ran)
	t.Logf("%d containers of %d pods run images that were pulled within the gap", len(ran), len(pods.Items))
}
