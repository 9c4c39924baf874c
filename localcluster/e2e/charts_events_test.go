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

	"gitops-runtime/localcluster/install"
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
const eventsBefore = `apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: before, namespace: NAMESPACE}
spec: {eventBusName: absent, webhook: {said: {port: "12000", endpoint: /said, method: POST}}}
---
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: before, namespace: NAMESPACE}
spec:
  eventBusName: absent
  dependencies: [{name: said, eventSourceName: before, eventName: said}]
  triggers: [{template: {name: log, log: {}}}]
---
apiVersion: v1
kind: Secret
metadata: {name: webhook, namespace: NAMESPACE}
stringData: {key: kept}`

// note routes a webhook over the event bus to a sensor that writes what it receives into a ConfigMap.
const note = `apiVersion: v1
kind: ServiceAccount
metadata: {name: note, namespace: NAMESPACE}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: note, namespace: NAMESPACE}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: note, namespace: NAMESPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: note}
subjects: [{kind: ServiceAccount, name: note, namespace: NAMESPACE}]
---
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata: {name: default, namespace: NAMESPACE}
spec:
  jetstream:
    version: latest
    replicas: 1
    streamConfig: "replicas: 1\n"
    securityContext: {runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, seccompProfile: {type: RuntimeDefault}}
    containerTemplate: {imagePullPolicy: IfNotPresent, securityContext: CONTAINER, resources: {requests: {cpu: 50m, memory: 64Mi}}}
    reloaderContainerTemplate: {imagePullPolicy: IfNotPresent, securityContext: CONTAINER}
    metricsContainerTemplate: {imagePullPolicy: IfNotPresent, securityContext: CONTAINER}
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: note, namespace: NAMESPACE}
spec:
  template:
    securityContext: {runAsNonRoot: true, runAsUser: 9731, seccompProfile: {type: RuntimeDefault}}
    container: {securityContext: CONTAINER}
  service:
    ports: [{port: 12000, targetPort: 12000}]
  webhook:
    said: {port: "12000", endpoint: /said, method: POST}
---
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: note, namespace: NAMESPACE}
spec:
  template:
    serviceAccountName: note
    securityContext: {runAsNonRoot: true, runAsUser: 9731, seccompProfile: {type: RuntimeDefault}}
    container: {securityContext: CONTAINER}
  dependencies:
  - {name: said, eventSourceName: note, eventName: said}
  triggers:
  - template:
      name: note
      k8s:
        operation: create
        source:
          resource:
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: note}
            data: {said: nothing}
        parameters:
        - {src: {dependencyName: said, dataKey: body.name}, dest: metadata.name}
        - {src: {dependencyName: said, dataKey: body.words}, dest: data.said}`

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
