//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

func eventsAlone() aloneChart {
	return aloneChart{
		Chart: install.Chart{Name: "argo-events", Scenarios: []string{"ha"}}, helm: helm4,
		pods:      map[string]int32{"argo-events-controller-manager": 1},
		available: map[string]int32{"argo-events-controller-manager": 3, "argo-events-events-webhook": 2},
		before:    eventsBefore, definitions: "argo-events/files/crds/*.yaml",
		lasting: alone.startListening,
		works:   alone.receivesAndActs,
	}
}

// eventsBefore is what a user of the community chart has; no bus has that name, so no pod runs for it.
var eventsBefore = objects("events-before")

// note routes a webhook over the event bus to a sensor that writes what it receives into a ConfigMap.
var note = objects("note")

// startListening creates an EventBus, an EventSource and a Sensor, and waits until they are connected.
func (a alone) startListening(t *testing.T) {
	const container = "{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}"
	a.applyHere(t, strings.NewReplacer("NAMESPACE", a.namespace, "CONTAINER", container).Replace(note))
	a.subscribed(t, a.namespace, "note")
}

// receivesAndActs checks that what is posted to the webhook is in a ConfigMap that the sensor creates. With the validating webhook, a sensor that
// cannot run is rejected.
func (a alone) receivesAndActs(t *testing.T, round string) {
	eventually(t, "the webhook receives it", time.Minute, func(ctx context.Context) error {
		return a.client.CoreV1().RESTClient().Post().Namespace(a.namespace).Resource("services").Name("note-eventsource-svc:12000").
			SubResource("proxy").Suffix("said").SetHeader("Content-Type", "application/json").
			Body([]byte(fmt.Sprintf(`{"name":"said-%s","words":"hello, %s"}`, round, round))).Do(ctx).Error()
	})
	var written *corev1.ConfigMap
	eventually(t, "the sensor has acted", time.Minute, func(ctx context.Context) error {
		var err error
		written, err = a.client.CoreV1().ConfigMaps(a.namespace).Get(ctx, "said-"+round, metav1.GetOptions{})
		return err
	})
	require.Equal(t, map[string]string{"said": "hello, " + round}, written.Data)
	if round == "default" {
		return
	}
	unfit := documents(t, fmt.Sprintf(`{apiVersion: argoproj.io/v1alpha1, kind: Sensor, metadata: {name: unfit, namespace: %s}, spec: {dependencies: [], triggers: []}}`, a.namespace))[0]
	// Its failure policy is Ignore (argo-events v1.9.10, pkg/webhook/webhook.go): as long as the API server cannot reach it, every object is
	// accepted.
	sensors := a.objects.Resource(argo("sensors")).Namespace(a.namespace)
	var refused error
	eventually(t, "the validating webhook is called", time.Minute, func(ctx context.Context) error {
		_, refused = sensors.Create(ctx, unfit, metav1.CreateOptions{})
		if refused == nil {
			return errors.Join(errors.New("a sensor without triggers was accepted"), sensors.Delete(ctx, unfit.GetName(), metav1.DeleteOptions{}))
		}
		return nil
	})
	require.ErrorContains(t, refused, `admission webhook "webhook.argo-events.argoproj.io" denied the request`)
}
