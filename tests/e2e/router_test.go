//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gruntwork-io/terratest/modules/k8s"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/images"
	"gitops-runtime/tests/runtime"
)

// awayAndBack: while app-proxy is away internal-router says so at once, in a way that browsers may read; when it is back the
// same router finds it.
func (e *environment) awayAndBack(t *testing.T) {
	router := e.pods(t, "app.kubernetes.io/name=internal-router")
	require.NotEmpty(t, router)
	a := e.access(t, images.Tunnel)
	hello := request{path: "/app-proxy/hello", header: map[string]string{"Origin": "https://" + runtime.PlatformHost}}

	e.scaleAppProxy(t, 0)
	t.Cleanup(func() {
		if t.Failed() {
			e.scaleAppProxy(t, 1)
		}
	})
	begun := time.Now()
	away := a.answer(t, http.StatusBadGateway, 10*time.Second, hello)
	t.Logf("502 after %s", time.Since(begun).Round(time.Millisecond))
	assert.Equal(t, "https://"+runtime.PlatformHost, away.header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "true", away.header.Get("Access-Control-Allow-Credentials"))
	assert.JSONEq(t, `{"error":"the target of this route is away"}`, string(away.body))
	stranger, err := a.ask(t.Context(), request{path: "/app-proxy/hello", header: map[string]string{"Origin": "https://stranger.example.com"}})
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, stranger.status)
	assert.Empty(t, stranger.header.Get("Access-Control-Allow-Origin"))

	e.scaleAppProxy(t, 1)
	back := a.answer(t, http.StatusOK, 30*time.Second, hello)
	assert.Equal(t, "https://"+runtime.PlatformHost, back.header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, router, e.pods(t, "app.kubernetes.io/name=internal-router"), "the router was replaced or restarted")
}

// scaleAppProxy waits until app-proxy has this many pods, all ready.
func (e *environment) scaleAppProxy(t *testing.T, count int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	deployments := e.client.AppsV1().Deployments(runtime.Namespace)
	_, err := deployments.UpdateScale(ctx, "cap-app-proxy", &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "cap-app-proxy", Namespace: runtime.Namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: count},
	}, metav1.UpdateOptions{})
	require.NoError(t, err)
	eventually(t, fmt.Sprintf("app-proxy has %d pods", count), 2*time.Minute, func(ctx context.Context) error {
		deployment, err := deployments.Get(ctx, "cap-app-proxy", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s := deployment.Status; s.ObservedGeneration < deployment.Generation || s.Replicas != count || s.ReadyReplicas != count {
			return fmt.Errorf("%d pods, %d of them ready", s.Replicas, s.ReadyReplicas)
		}
		return nil
	})
}

// pods are the running pods of the runtime's namespace with a label, all for none: name and UID, and how often they were restarted.
func (e *environment) pods(t *testing.T, selector string) map[string]string {
	t.Helper()
	list := k8s.ListPodsContext(t, t.Context(), e.kubectl(runtime.Namespace), metav1.ListOptions{LabelSelector: selector, FieldSelector: "status.phase=Running"})
	found := map[string]string{}
	for _, pod := range list {
		restarts := int32(0)
		for _, container := range pod.Status.ContainerStatuses {
			restarts += container.RestartCount
		}
		found[pod.Name] = fmt.Sprintf("%s, %d restarts", pod.UID, restarts)
	}
	return found
}
