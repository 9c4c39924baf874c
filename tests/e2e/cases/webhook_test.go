//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/e2e/install"
)

// hook is an event bus, a webhook event source and a sensor that sends events to the platform, with the runtime's token, as in a pipeline. SERVERS
// is the number of the bus's servers.
var hook = objects("hook")

// webhook checks that a webhook to an event source reaches the platform over the event bus and a sensor.
func (a access) webhook(t *testing.T) {
	a.apply(t, hookOn(1)) // stays for the next mode
	a.subscribed(t, install.Namespace, "e2e-hook")
	body := fmt.Sprintf(`{"mode":%q,"list":[1,2],"nested":{"yes":true}}`, a.mode)
	a.answer(t, http.StatusOK, time.Minute, request{
		method: http.MethodPost, path: "/webhooks/codefresh/e2e-hook/push", body: body, header: map[string]string{"Content-Type": "application/json"},
	})
	received := a.platform(t).receives(t, "e2e-hook", func(payload map[string]any) bool {
		pushed, _ := payload["pushed"].(map[string]any)
		return pushed["mode"] == string(a.mode)
	})
	require.Equal(t, map[string]any{
		"pushed": map[string]any{"mode": string(a.mode), "list": []any{1.0, 2.0}, "nested": map[string]any{"yes": true}},
	}, received)
}

// hookOn returns hook with the given number of servers of the bus.
func hookOn(servers int) string { return strings.ReplaceAll(hook, "SERVERS", fmt.Sprint(servers)) }

// subscribed waits until a sensor listens to the event bus: it misses earlier events, and only its log shows when it listens.
func (e *environment) subscribed(t *testing.T, namespace, sensor string) {
	t.Helper()
	pods := e.client.CoreV1().Pods(namespace)
	object, err := e.object(t.Context(), "sensors", namespace, sensor)
	require.NoError(t, err)
	triggers, _, err := unstructured.NestedSlice(object.Object, "spec", "triggers")
	require.NoError(t, err)
	eventually(t, "the sensor "+sensor+" listens", 2*time.Minute, func(ctx context.Context) error {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "sensor-name=" + sensor})
		if err != nil {
			return err
		}
		for _, pod := range list.Items {
			log, err := pods.GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
			if err == nil && bytes.Count(log, []byte("Subscribing to subject")) >= len(triggers) {
				return nil
			}
		}
		return fmt.Errorf("none of %d pods has subscribed", len(list.Items))
	})
}
