//go:build e2e

package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// canary is a Rollout of two steps, in NAMESPACE; VERSION is what an update changes.
const canary = `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: canary, namespace: NAMESPACE}
spec:
  replicas: 2
  selector:
    matchLabels: {app: canary}
  strategy:
    canary:
      steps:
      - setWeight: 50
      - pause: {duration: 1s}
  template:
    metadata:
      labels: {app: canary}
    spec:
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: canary
        image: IMAGE
        args: [health, -listen, ":8080"]
        env: [{name: VERSION, value: "VERSION"}]
        readinessProbe: {httpGet: {path: /readyz, port: 8080}, periodSeconds: 1}
        resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 64Mi}}
        securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}`

// rollout checks that Argo Rollouts runs an update through its steps, and the platform gets its events.
func (e *environment) rollout(t *testing.T) {
	e.namespace(t, "e2e-rollout")
	require.NotEqual(t, e.rollOut(t, "e2e-rollout", "one"), e.rollOut(t, "e2e-rollout", "two"))
	e.platform(t).getsEvent(t, "Rollout", "e2e-rollout", "canary")
}

// rollOut rolls out a version of the canary, waits until all its steps are complete, and returns its hash. The canary is deleted after the test,
// before its namespace: there its controller's new pods would be rejected.
func (e *environment) rollOut(t *testing.T, namespace, version string) string {
	t.Helper()
	e.applyHere(t, strings.NewReplacer("NAMESPACE", namespace, "IMAGE", standIn, `"VERSION"`, fmt.Sprintf("%q", version)).Replace(canary))
	rollout, err := e.object(t.Context(), "rollouts", namespace, "canary")
	require.NoError(t, err)
	eventually(t, "version "+version+" is rolled out", 2*time.Minute, e.has("rollouts", namespace, "canary", map[string]string{
		"status.observedGeneration": fmt.Sprint(rollout.GetGeneration()),
		"status.phase":              "Healthy",
		"status.currentStepIndex":   "2",
		"status.updatedReplicas":    "2",
		"status.availableReplicas":  "2",
	}))
	rollout, err = e.object(t.Context(), "rollouts", namespace, "canary")
	require.NoError(t, err)
	require.Equal(t, field(rollout, "status", "currentPodHash"), field(rollout, "status", "stableRS"))
	return field(rollout, "status", "stableRS")
}
